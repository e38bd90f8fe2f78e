// Addresses of at most 108 bytes are gone round by the number of the opened folder.
#include "sys/local_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "sys/system_words.h"

namespace sx {
namespace {

constexpr std::size_t kMostDescriptors = 8;
constexpr int kBacklog = 64;
// A listener that is stopped or stuck must not take whoever asks it along.
constexpr timeval kConnectTime{.tv_sec = 1, .tv_usec = 0};

struct Place {
  UniqueFd folder;
  sockaddr_un address{};
};

std::unexpected<Error> not_done(std::string_view english, std::string_view chinese,
                                const std::string& path, int error) {
  const Both why = system_words(error);
  const Error::Kind kind = error == ENOENT || error == ECONNREFUSED ? Error::Kind::Absent
                           : error == ETIMEDOUT                     ? Error::Kind::TimedOut
                                                                    : Error::Kind::Refused;
  return fail(kind, std::string(english) + ' ' + path + ": " + why.english,
              std::string(chinese) + ' ' + path + "：" + why.chinese);
}

Result<Place> place_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  Place place{.folder = UniqueFd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))};
  if (!place.folder.open()) return not_done("cannot open", "无法打开", folder, errno);
  const std::string address = "/proc/self/fd/" + std::to_string(place.folder.get()) + '/' + name;
  if (name.empty() || address.size() >= sizeof place.address.sun_path)
    return not_done("no socket can have the name", "套接字不能使用该名称", path, ENAMETOOLONG);
  place.address.sun_family = AF_UNIX;
  std::memcpy(static_cast<void*>(place.address.sun_path), address.c_str(), address.size() + 1);
  return place;
}

const sockaddr* as_address(const Place& place) {
  return reinterpret_cast<const sockaddr*>(&place.address);
}

UniqueFd new_socket(int flags) {
  return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
}

// Of the socket alone: whoever gets it waits as long as it likes.
bool connected(const UniqueFd& socket, const Place& place) {
  constexpr timeval kForever{};
  const auto wait = [&](const timeval& most) {
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  };
  wait(kConnectTime);
  const bool good = ::connect(socket.get(), as_address(place), sizeof place.address) == 0;
  const int error = errno == EAGAIN ? ETIMEDOUT : errno;
  wait(kForever);
  errno = error;
  return good;
}

}  // namespace

Result<UniqueFd> listen_local(const std::string& path) {
  SX_TRY(const Place place, place_of(path));
  UniqueFd socket = new_socket(SOCK_NONBLOCK);
  if (!socket.open()) return not_done("cannot listen on", "无法监听", path, errno);
  const mode_t before = ::umask(0177);
  int bound = ::bind(socket.get(), as_address(place), sizeof place.address);
  if (bound != 0 && errno == EADDRINUSE) {
    const UniqueFd other = new_socket(0);
    // One that does not answer in time lives too.
    if (connected(other, place) || errno == ETIMEDOUT) {
      ::umask(before);
      return not_done("cannot listen on", "无法监听", path, EADDRINUSE);
    }
    ::unlink(path.c_str());
    bound = ::bind(socket.get(), as_address(place), sizeof place.address);
  }
  const int error = errno;
  ::umask(before);
  if (bound != 0 || ::listen(socket.get(), kBacklog) != 0)
    return not_done("cannot listen on", "无法监听", path, bound != 0 ? error : errno);
  return socket;
}

Result<UniqueFd> connect_local(const std::string& path) {
  SX_TRY(const Place place, place_of(path));
  UniqueFd socket = new_socket(0);
  if (!socket.open() || !connected(socket, place))
    return not_done("cannot reach", "无法连接", path, errno);
  return socket;
}

UniqueFd accept_local(int listener) {
  UniqueFd peer(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  ucred who{};
  socklen_t size = sizeof who;
  if (!peer.open() || ::getsockopt(peer.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
    return {};
  if (who.uid != ::getuid() && who.uid != 0) return {};
  return peer;
}

pid_t peer_of(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 ? who.pid : 0;
}

bool send_descriptors(int socket, std::string_view bytes, const std::vector<int>& descriptors) {
  if (bytes.empty() || descriptors.size() > kMostDescriptors) return false;
  iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> room{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const std::size_t size = descriptors.size() * sizeof(int);
    message.msg_control = room.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(head), descriptors.data(), size);
  }
  ssize_t sent = 0;
  while ((sent = ::sendmsg(socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  return sent == static_cast<ssize_t>(bytes.size());
}

Result<Received> receive_descriptors(int socket, std::size_t most) {
  Received received;
  received.bytes.resize(most);
  iovec piece{received.bytes.data(), most};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> room{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  ssize_t count = 0;
  while ((count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (count < 0) return not_done("cannot read from", "无法读取", "socket", errno);
  received.bytes.resize(static_cast<std::size_t>(count));
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t held = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < held; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof fd);
      received.descriptors.emplace_back(fd);
    }
  }
  return received;
}

}  // namespace sx
