// How long one stage takes over a step: its layers' products, attention, experts and collectives,
// one of each kind of layer with how often it stands there.
#pragma once

#include <vector>

#include "fit/card_speed.h"
#include "fit/collective_speed.h"
#include "fit/model_split.h"

namespace sx {

struct SpeedStage {
  std::vector<LayerClass> classes;
  CardSpeed card;
  ExpertLaw experts;
  GroupLinks links;         // of the tensor group
  GroupLinks expert_links;  // of all ranks that share experts, when other than the tensor group
  GroupLinks hop;           // to the next stage
  bool last = false;
};

struct StepTime {
  double seconds = 0;
  double communication = 0;  // part of it
};

// Every one of `sequences` requests gets one token; each sees `length` tokens.
StepTime decode_step(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
                     double sequences, double length, bool graphs);

// One request's `length` tokens in pieces of at most `chunk`.
StepTime prefill(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
                 double length, double chunk);

}  // namespace sx
