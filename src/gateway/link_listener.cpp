// A running gateway is asked for it over its own socket; it answers with the descriptor.
#include "gateway/link_listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>

#include "sys/local_socket.h"
#include "sys/system_words.h"

namespace sx {
namespace {

constexpr int kBacklog = 1024;   // clients wait here while a new gateway begins
constexpr int kHandOver = 2000;  // milliseconds for a running gateway to hand its socket over

}  // namespace

Result<UniqueFd> listen_for_clients(const std::string& host, int port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int on = 1;
  const std::string place = host + ':' + std::to_string(port);
  if (!socket.open() || ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
    return fail(Error::Kind::Usage, "no address to listen on: " + place,
                "不是可监听的地址：" + place);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    const Both why = system_words(errno);
    return fail(Error::Kind::Refused, "cannot listen on " + place + ": " + why.english,
                "无法监听 " + place + "：" + why.chinese);
  }
  return socket;
}

UniqueFd listener_of_gateway(const std::string& control_path) {
  auto peer = connect_local(control_path);
  if (!peer) return {};
  const timeval limit{.tv_sec = kHandOver / 1000, .tv_usec = 0};
  ::setsockopt(peer->get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (!send_descriptors(peer->get(), "{\"do\":\"listener\"}\n", {})) return {};
  // A count may come first; the line with the socket carries it.
  for (int i = 0; i < 16; ++i) {
    auto received = receive_descriptors(peer->get(), 4096);
    if (!received || received->bytes.empty()) return {};
    if (!received->descriptors.empty()) return std::move(received->descriptors.front());
  }
  return {};
}

}  // namespace sx
