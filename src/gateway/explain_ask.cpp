// The question put to a gateway that runs, over its socket in the state folder.
#include <sys/socket.h>
#include <sys/time.h>

#include "gateway/explain.h"
#include "sys/local_socket.h"

namespace sx {
namespace {

constexpr timeval kPatience{.tv_sec = 3, .tv_usec = 0};  // a gateway answers within milliseconds
constexpr std::size_t kMostHeard = std::size_t{4} << 20U;
constexpr std::size_t kPiece = 65'536;

}  // namespace

Result<ExplainedRoute> ask_gateway(const std::string& socket, const RouteQuestion& question) {
  SX_TRY(const UniqueFd peer, connect_local(socket));
  ::setsockopt(peer.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  const auto silent = [] {
    return fail(Error::Kind::TimedOut, "the gateway did not answer", "网关没有回答");
  };
  if (!send_descriptors(peer.get(), question_line(question) + '\n', {})) return silent();
  std::string heard;
  while (heard.size() < kMostHeard) {
    // Counts may come before the answer.
    for (std::size_t end = heard.find('\n'); end != std::string::npos; end = heard.find('\n')) {
      const std::string line = heard.substr(0, end);
      heard.erase(0, end + 1);
      if (line.starts_with("{\"schema\"")) return read_explained(line);
    }
    auto received = receive_descriptors(peer.get(), kPiece);
    if (!received || received->bytes.empty()) return silent();
    heard += received->bytes;
  }
  return silent();
}

}  // namespace sx
