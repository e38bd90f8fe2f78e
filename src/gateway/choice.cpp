// One walk over the replicas.
#include "gateway/choice.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace sx {
namespace {

constexpr std::uint64_t kBytesPerToken = 4;   // of English text and JSON, roughly
constexpr std::uint64_t kAnswerTokens = 256;  // an answer costs too, and its length is not known

}  // namespace

std::uint64_t request_cost(std::size_t body_bytes) {
  return kAnswerTokens + body_bytes / kBytesPerToken;
}

RouteChoice choose(const std::vector<RouteCandidate>& candidates, std::size_t turn,
                   GatewayClock::time_point now) {
  struct Rank {
    bool rests;
    std::uint64_t load;
    std::size_t order;
    auto operator<=>(const Rank&) const = default;
  };
  std::optional<Rank> best;
  RouteChoice choice;
  int able = 0;
  bool failed_before = false, equals = false;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t index = (turn + i) % candidates.size();
    const RouteCandidate& one = candidates[index];
    failed_before |= one.tried;
    if (!one.takes || !one.serves || one.tried) continue;
    ++able;
    const Rank rank{.rests = one.rests > now, .load = one.load, .order = i};
    if (best && rank.rests == best->rests && rank.load == best->load) equals = true;
    if (best && best < rank) continue;
    if (best && std::tie(rank.rests, rank.load) != std::tie(best->rests, best->load))
      equals = false;
    best = rank;
    choice.index = static_cast<int>(index);
  }
  if (!best) return choice;
  choice.why = failed_before ? "failover"
               : best->rests ? "resting"
               : able == 1   ? "only"
               : equals      ? "turn"
                             : "load";
  return choice;
}

}  // namespace sx
