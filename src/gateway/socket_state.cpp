// The three calls of the system, and what each tells about the next one.
#include "gateway/socket_state.h"

#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <cerrno>

namespace sx {
namespace {

namespace asio = boost::asio;

LoopError outcome_of_connect(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return last_error();
  return {error, boost::system::system_category()};
}

std::size_t size_of(const SocketWait& wait) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < wait.part_count; ++i) size += wait.parts[i].iov_len;
  return size;
}

}  // namespace

LoopError last_error() { return {errno, boost::system::system_category()}; }

void SocketState::transfer(SocketWait& wait) {
  const bool reads = wait.kind == SocketWait::Kind::Read;
  ssize_t count = 0;
  do {
    if (reads) {
      const iovec& to = wait.parts[0];
      count = tls ? tls->read(to.iov_base, to.iov_len)
                  : ::recv(fd.get(), to.iov_base, to.iov_len, MSG_DONTWAIT);
    } else if (tls) {
      count = tls->write({wait.parts.data(), wait.part_count});
    } else {
      msghdr message{};
      message.msg_iov = wait.parts.data();
      message.msg_iovlen = wait.part_count;
      count = ::sendmsg(fd.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
  } while (count < 0 && errno == EINTR);
  wait.error = {};
  wait.bytes = count > 0 ? static_cast<std::size_t>(count) : 0;
  if (count < 0) wait.error = last_error();
  if (count == 0 && reads && size_of(wait) > 0) wait.error = asio::error::eof;
}

bool SocketState::try_now(SocketWait& wait) {
  if (!fd.open()) {
    wait.error = asio::error::operation_aborted;
    return true;
  }
  if (wait.kind == SocketWait::Kind::Connect) {
    wait.error = outcome_of_connect(fd.get());
    return true;
  }
  transfer(wait);
  const bool reads = wait.kind == SocketWait::Kind::Read;
  bool& may = reads ? readable : writable;
  if (wait.error == asio::error::would_block || wait.error == asio::error::try_again) {
    may = false;
    return false;
  }
  // Less than was asked for: that was all, and more comes with a new edge. Records of TLS are told
  // one by one.
  const bool all = tls ? reads && tls->drained() : wait.bytes < size_of(wait);
  if (all && !(reads && look_again)) may = false;
  return true;
}

}  // namespace sx
