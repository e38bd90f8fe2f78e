// Datagram sockets: whoever connects to one learns whether the name is there and disturbs nobody.
#include "sys/port_claim.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace sx {
namespace {

// Each is a descriptor, of which a process often has 1024. More ports than any machine has GPUs.
constexpr std::size_t kMostClaims = 512;

struct Name {
  sockaddr_un address{};
  socklen_t size = 0;
};

Name name_of(int port, PortRole role) {
  const char* word = role == PortRole::Chooser  ? "chosen"
                     : role == PortRole::Daemon ? "wanted"
                                                : "kept";
  const std::string text = "sextant/port/" + std::to_string(port) + '/' + word;
  Name name;
  name.address.sun_family = AF_UNIX;
  // The first byte stays nought: no file, and no length but the one that is told.
  std::memcpy(static_cast<void*>(&name.address.sun_path[1]), text.data(), text.size());
  name.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return name;
}

UniqueFd new_socket() { return UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)); }

}  // namespace

bool PortClaims::take(int port) {
  if (held_.contains(port) || held_.size() >= kMostClaims) return true;
  UniqueFd socket = new_socket();
  if (!socket.open()) return true;
  const Name name = name_of(port, role_);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name.address), name.size) != 0)
    return errno != EADDRINUSE;
  ::shutdown(socket.get(), SHUT_RD);  // nothing that anybody sends is kept
  held_.emplace(port, std::move(socket));
  return true;
}

void PortClaims::keep(const std::set<int>& ports) {
  std::erase_if(held_, [&](const auto& one) { return !ports.contains(one.first); });
}

bool is_claimed(int port, PortRole by) {
  const UniqueFd socket = new_socket();
  const Name name = name_of(port, by);
  if (!socket.open()) return false;
  // Refused to us is what somebody has who talks to another one.
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name.address), name.size) ==
             0 ||
         errno == EPERM;
}

bool is_given(int port) {
  return is_claimed(port, PortRole::Daemon) || is_claimed(port, PortRole::Keeper);
}

}  // namespace sx
