// How long a layer of experts takes on one card: the woken experts' weights are streamed, then the
// arithmetic is done.
#pragma once

#include "fit/gemm.h"
#include "knowledge/speed_cards.h"

namespace sx {

struct ExpertsAsk {
  double tokens = 0;             // of all ranks that share the experts
  double hidden = 0, width = 0;  // of one expert on this rank
  double experts = 0;            // of the model
  double here = 0;               // on this rank
  double a_token = 0;            // chosen for each token
  double padding = 1;            // matrices widened for their kernel
};
double experts_seconds(const CardSpeed& card, const EngineSpeed& engine, const ExpertsAsk& ask,
                       const WeightFormat& weights, const ExpertLaw& law);

}  // namespace sx
