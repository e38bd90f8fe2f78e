// From what each GPU has left to the engine's one number: tokens of KV cache, requests at once, the
// longest request.
#pragma once

#include <vector>

#include "engines/vllm/memory_settings.h"
#include "fit/budget.h"
#include "fit/layout.h"

namespace sx {

// Closes a GPU's list: adds what stays unused and the pool. `asked`: --kv-cache-memory-bytes, which
// replaces the fraction.
GpuBudget with_pool(GpuBudget gpu, const BudgetLine& unused, const Fact<Bytes>& asked);

struct PoolQuestion {
  const ModelSpec& model;
  const Layout& layout;
  const std::vector<int>& stages;  // layers of each
  const VllmSettings& settings;
  std::int64_t most = 0;  // longest context of the model; 0: not known
};

// The whole budget from its GPUs.
Budget pooled(const PoolQuestion& question, std::vector<GpuBudget> gpus);

}  // namespace sx
