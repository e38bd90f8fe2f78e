// Weights at the rates that public logs show, and the time of everything else.
#include "rules/serving/start_time.h"

#include <algorithm>

namespace sx::rules {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

std::optional<Bytes> weights_of(const Case& c) {
  if (c.model().checkpoint_bytes.known()) return c.model().checkpoint_bytes.value();
  return {};
}

}  // namespace

std::optional<StartTime> start_time_of(const Case& c) {
  const auto rate = constant(c.serve.engine, "load-rate", c.serve.version);
  const auto rest = constant(c.serve.engine, "start-without-load", c.serve.version);
  if (!rate || !rest) return {};
  StartTime start{.whole = {rest->low, rest->value, rest->high},
                  .weights = weights_of(c),
                  .rate = *rate,
                  .rest = *rest};
  if (start.weights) {
    const double gibibytes = static_cast<double>(start.weights->count()) / kGibibyte;
    // Machines of one group read side by side.
    const double share = gibibytes / std::max(1, c.around.hosts.value_or(1));
    start.whole.low += share / rate->high;
    start.whole.mid += gibibytes / rate->value;
    start.whole.high += gibibytes / rate->low;
  }
  return start;
}

}  // namespace sx::rules
