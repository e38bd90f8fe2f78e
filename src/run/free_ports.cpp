// Asked of the system by binding, as the engine will.
#include "run/free_ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "base/unique_fd.h"

namespace sx {

bool port_is_free(const std::string& host, int port) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return true;
  const int on = 1;  // as engines do: connections that are closing do not count
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // An address or a descriptor that is lacking is nobody's: whoever listens there says so.
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
         errno != EADDRINUSE;
}

// Claimed before it is looked at: of two that choose at the same moment one goes on to the next.
bool FreePorts::may_be(int port) {
  if (std::ranges::find(not_these_, port) != not_these_.end()) return false;
  if (claims_ != nullptr && !claims_->take(port)) return false;
  if (!is_given(port) && port_is_free("127.0.0.1", port)) return true;
  if (claims_ != nullptr) claims_->drop(port);
  return false;
}

Result<int> FreePorts::next() {
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    const int port = at_++;
    if (may_be(port)) return port;
  }
  const std::string first = std::to_string(at_ - kTries);
  return fail(Error::Kind::Refused, "a thousand ports from " + first + " on are taken",
              "从 " + first + " 起的一千个端口都被占用");
}

}  // namespace sx
