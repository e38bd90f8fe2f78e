// What a figure rests on as a whole: the least sure of its cards, links and engine.
#include <algorithm>

#include "fit/replica_speed.h"

namespace sx {
namespace {

// Two machines of the same cards over PCIe differ more than two cards of a generation.
bool guessed(const GroupLinks& links, const SpeedStage& stage) {
  return links.ranks > 1 && links.seen.empty() && links.link != stage.card.card.nvlink;
}

SpeedBasis basis_of_stage(const SpeedStage& stage) {
  if (stage.card.card.basis == "related") return SpeedBasis::Related;
  if (stage.card.card.basis != "measured") return SpeedBasis::DataSheet;
  const bool unsure = guessed(stage.links, stage) || guessed(stage.expert_links, stage);
  return unsure ? SpeedBasis::Related : SpeedBasis::Measured;
}

}  // namespace

SpeedBasis basis_of(const std::vector<Replica>& replicas, const EngineSpeed& engine,
                    const ModelSplit& split) {
  SpeedBasis worst = engine.measured ? SpeedBasis::Measured : SpeedBasis::DataSheet;
  // The parts are measured, their sum was compared with few services only.
  if (split.sizes.gathered > 1) worst = std::max(worst, SpeedBasis::Related);
  for (const Replica& replica : replicas) {
    for (const SpeedStage& stage : replica.stages) worst = std::max(worst, basis_of_stage(stage));
  }
  return worst;
}

std::string_view basis_word(SpeedBasis basis) {
  switch (basis) {
    case SpeedBasis::Measured:
      return "measured";
    case SpeedBasis::Related:
      return "related";
    case SpeedBasis::DataSheet:
      return "sheet";
  }
  return "sheet";
}

}  // namespace sx
