// What vLLM finds used beside weights when it measures itself: the peak of its profile run, the
// runtime, its CUDA graphs.
#pragma once

#include <string>

#include "engines/vllm/memory_settings.h"
#include "fit/budget.h"

namespace sx {

// Where a rank stands in the pipeline.
struct StagePlace {
  bool first = true;
  bool last = true;    // this stage samples
  bool driver = true;  // the first rank of its stage
  int stages = 1;
};

struct PeakAsk {
  const ModelSpec& model;
  const Shape& shape;
  const VllmSettings& settings;
  const Layout& layout;
  const Gpu& gpu;
  StagePlace place;
  bool nvlink = false;  // all ranks of the stage reach one another by NVLink
  int machines = 1;
};

BudgetLine activation_line(const PeakAsk& ask);
BudgetLine runtime_line(const PeakAsk& ask);
BudgetLine graph_line(const PeakAsk& ask);

}  // namespace sx
