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
  using Kind = sx::ControlAsk::Kind;
  if (ask && ask->kind == Kind::Loads) {
    const auto again = sx::read_control(sx::loads_line(ask->loads));
    SX_ASSERT(again && again->loads.size() == ask->loads.size());
  }
  if (ask && ask->kind == Kind::States) {
    const auto again = sx::read_control(sx::states_line(ask->states));
    SX_ASSERT(again && again->states.size() == ask->states.size());
    for (std::size_t i = 0; i < ask->states.size(); ++i)
      SX_ASSERT(again->states[i].state == ask->states[i].state);
  }
  if (ask && ask->kind == Kind::Explain) {
    const auto again = sx::read_control(sx::question_line(ask->question));
    SX_ASSERT(again && again->question.model == ask->question.model);
    SX_ASSERT(again->question.hashes.conversation == ask->question.hashes.conversation);
  }
  if (!ask || ask->kind != Kind::Routes) return 0;
  const auto again = sx::read_routes(sx::routes_line(ask->routes));
  SX_ASSERT(again && again->aliases == ask->routes.aliases);
  SX_ASSERT(again->down == ask->routes.down && again->restarts == ask->routes.restarts);
  SX_ASSERT(again->coming == ask->routes.coming && again->times.queue == ask->routes.times.queue);
  SX_ASSERT(again && again->routes.size() == ask->routes.routes.size());
  for (std::size_t i = 0; i < again->routes.size(); ++i) {
    const sx::Route &a = again->routes[i], &b = ask->routes.routes[i];
    SX_ASSERT(a.replica == b.replica && a.host == b.host && a.port == b.port);
    SX_ASSERT(a.model == b.model && a.key == b.key && a.takes == b.takes);
  }
  return 0;
}
