// Any bytes as a line to the gateway: what is taken is written as the daemon would, and read again
// the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "gateway/control.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto ask = sx::read_control(line);
  if (!ask || ask->kind != sx::ControlAsk::Kind::Routes) return 0;
  const auto again = sx::read_routes(sx::routes_line(ask->routes.routes, ask->routes.version));
  SX_ASSERT(again && again->routes.size() == ask->routes.routes.size());
  for (std::size_t i = 0; i < again->routes.size(); ++i) {
    const sx::Route &a = again->routes[i], &b = ask->routes.routes[i];
    SX_ASSERT(a.replica == b.replica && a.host == b.host && a.port == b.port);
    SX_ASSERT(a.model == b.model && a.key == b.key && a.takes == b.takes);
  }
  return 0;
}
