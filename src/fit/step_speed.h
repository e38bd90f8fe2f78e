// How long one stage takes over a step: its layers' products, attention, experts and collectives,
// one of each kind of layer with how often it stands there.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fit/card_speed.h"
#include "fit/collective_speed.h"
#include "fit/model_split.h"

namespace sx {

struct SpeedStage {
  std::vector<LayerClass> classes;
  CardSpeed card;
  ExpertLaw experts;
  double expert_padding = 1;  // of their matrices, for the kernel of this card
  GroupLinks links;           // of the tensor group
  GroupLinks heads_links;     // of the ranks that cut attention, when fewer than the tensor group
  GroupLinks expert_links;    // of all ranks that share experts, when other than the tensor group
  GroupLinks hop;             // to the next stage
  bool last = false;
  std::optional<std::size_t> twin;  // of the same replica an earlier stage that takes as long
};

struct StepTime {
  double seconds = 0;
  double communication = 0;  // part of it
};

// Every one of `sequences` requests gets one token; each sees `length` tokens. Beside them so many
// new requests a step arrive, whose prompts are read in pieces. Ranks that share experts, or groups
// that share attention, each have as many, and step together.
struct StepLoad {
  double sequences = 0, length = 0;
  double all_sequences = 0;  // of all ranks whose tokens meet
  double arrivals = 0;       // at all ranks that meet, in the mean
  double input = 0, chunk = 1;
  bool graphs = true;
};
// The mean over steps with and without pieces of prompts.
StepTime step(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
              const StepLoad& load);

// One request's `length` tokens in pieces of at most `chunk`; so many ranks that meet read a piece
// at the same time.
struct PrefillLoad {
  double length = 0, chunk = 1;
  double together = 1;
};
StepTime prefill(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
                 const PrefillLoad& load);

// Ranks or groups whose tokens meet at some layers: they take every step together.
double meeting(const ModelSplit& split);

// Pieces of prompts that are read at the same time, in the mean of the steps that have any; of all
// ranks that meet.
double pieces_at_once(const StepLoad& load);

}  // namespace sx
