// The lines of one GPU's memory under SGLang, before its pools are sized.
#pragma once

#include <vector>

#include "engines/sglang/memory_fraction.h"
#include "engines/sglang/memory_settings.h"
#include "fit/budget.h"
#include "fit/layout.h"
#include "fit/weights.h"

namespace sx {

// All that a budget of SGLang is worked out from.
struct SglangQuestion {
  const Case& c;
  const Layout& layout;
  Shape shape;
  SglangSettings settings;
  SglangShare share;
  std::vector<int> stages;
  std::vector<const Gpu*> gpus;  // in rank order within stage order
};

// Weights of each stage on cards like this one; empty when they cannot be worked out.
std::vector<RankWeights> sglang_weights(const SglangQuestion& q, const Gpu& gpu);

// What graphs really take lies below what the engine reckons where attention is split by requests.
struct SglangNeed {
  Bytes bytes, low, high;
};
SglangNeed sglang_graphs_need(const SglangQuestion& q);

BudgetLine sglang_weights_line(const SglangQuestion& q, const RankWeights& weights);

struct SglangLines {
  BudgetLine weights, runtime, graphs, activations;
  BudgetLine draft;            // no bytes: there is none
  bool draft_in_share = true;  // false: it comes out of what is left beside the share
  Bytes before;                // free before weights are loaded
  Bytes slack;                 // outside the share, a draft that is not in it taken off
  Bytes pictures;              // kept for pictures
};
SglangLines sglang_lines(const SglangQuestion& q, int rank, const RankWeights& weights);

// Of `lines` the budget of the GPU with its room for pools.
GpuBudget sglang_gpu(const SglangQuestion& q, int rank, const SglangLines& lines);

}  // namespace sx
