// The heaviest rank of each pipeline stage, as every engine's budget answers `stage_weights`.
#pragma once

#include <cstddef>
#include <vector>

#include "facts/host_spec.h"
#include "fit/budget.h"
#include "fit/weights.h"

namespace sx {

struct StageRanks {
  const std::vector<const Gpu*>& gpus;  // in rank order within stage order
  std::size_t stages = 0, ranks_a_stage = 1;
};

// `weights_on(gpu)` are those of all stages on such a card, worked out once for cards alike;
// `line_of(weights)` is what the budget writes of them. Empty: they are not known.
template <class WeightsOn, class LineOf>
std::vector<RankWeights> heaviest_of_stages(const StageRanks& ranks, const WeightsOn& weights_on,
                                            const LineOf& line_of) {
  std::vector<RankWeights> heaviest(ranks.stages);
  std::vector<RankWeights> weights;
  const Gpu* last = nullptr;
  for (std::size_t rank = 0; rank < ranks.gpus.size(); ++rank) {
    const Gpu& gpu = *ranks.gpus[rank];
    const bool same =
        last != nullptr && last->capability.value_or({}) == gpu.capability.value_or({});
    if (!same) weights = weights_on(gpu);
    last = &gpu;
    const std::size_t stage = rank / ranks.ranks_a_stage;
    if (weights.size() != heaviest.size() || stage >= heaviest.size()) return {};
    const BudgetLine line = line_of(weights[stage]);
    if (line.bytes <= heaviest[stage].bytes) continue;
    heaviest[stage] = weights[stage];
    heaviest[stage].bytes = line.bytes;
    heaviest[stage].low = line.low;
    heaviest[stage].high = line.high;
  }
  return heaviest;
}

}  // namespace sx
