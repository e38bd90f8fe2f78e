// Streaming and arithmetic add up: the kernels of today hide little of one behind the other.
#include "fit/experts_speed.h"

#include <algorithm>
#include <cmath>

namespace sx {
namespace {

constexpr double kMatrices = 3;  // gate, up, down

// Experts of this rank that at least one token chose. Tokens of a batch choose alike.
double woken(const ExpertsAsk& ask, double alike) {
  const double part = std::clamp(ask.a_token / ask.experts, 0.0, 1.0);
  return ask.here * (1 - std::pow(1 - part, std::pow(std::max(ask.tokens, 1.0), alike)));
}

}  // namespace

double experts_seconds(const CardSpeed& card, const EngineSpeed& engine, const ExpertsAsk& ask,
                       const WeightFormat& weights, const ExpertLaw& law) {
  if (ask.tokens <= 0 || ask.experts <= 0 || ask.width <= 0) return 0;
  const Units units = units_of(card, *weights.law);
  const double matrices = kMatrices * ask.hidden * ask.width;
  const double stream = woken(ask, engine.alike) * matrices * ask.padding * weights.bytes /
                        (law.stream * card.memory);
  const double share = ask.here / ask.experts;
  const double work = 2 * matrices * ask.tokens * ask.a_token * share / (law.compute * units.peak);
  // Whole experts are never evenly busy on all ranks; parts of experts are.
  const double skew = share < 1 ? engine.skew : 1;
  return law.start_us * kMicrosecond + skew * (stream + work);
}

}  // namespace sx
