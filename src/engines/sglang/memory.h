// How SGLang spends GPU memory, and which layers its stages get; per version, from data.
#pragma once

#include <expected>
#include <optional>
#include <vector>

#include "facts/case.h"
#include "fit/budget.h"
#include "fit/layout.h"
#include "fit/weights.h"

namespace sx {

// Engine::budget, Engine::stages and Engine::stage_weights of SGLang. The layout's `tensor` is
// --tp-size; data-parallel attention splits it further and stands in the case's ServeSpec.
std::expected<Budget, NoBudget> sglang_budget(const Case& c, const Layout& layout);
std::vector<int> sglang_stages(const Case& c, const Layout& layout);
std::vector<RankWeights> sglang_stage_weights(const Case& c, const Layout& layout);

// What --mem-fraction-static leaves beside weights and KV cache on the GPU where it is least, and
// what graphs and the largest step need there.
struct SglangSlack {
  double fraction = 0;
  bool asked = false;         // by the flag
  double by_default = 0;      // what the engine would take without the flag
  Bytes before;               // free before weights are loaded
  Bytes left;                 // outside the share; negative: a draft alone exceeds it
  Bytes need, low, high;      // graphs and activations
  Bytes graphs, activations;  // parts of `need`
  Tokens step;                // tokens of the largest step
  int gpu = 0;                // position among the launch's GPUs
};
std::optional<SglangSlack> sglang_slack(const Case& c, const Layout& layout);

}  // namespace sx
