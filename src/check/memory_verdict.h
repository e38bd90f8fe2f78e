// What breaks in a launch's memory, and how surely: one verdict that the rules of family SX3 share,
// so that one cause is said once.
#pragma once

#include <cstddef>
#include <optional>

#include "facts/case.h"
#include "fit/budget.h"

namespace sx {

enum class MemoryBreak {
  Weights,   // weights alone exceed what the launch may use of a card
  NoRoom,    // weights fit, and not one block of KV cache does
  TooShort,  // there is KV cache, and it holds less than one request of the full context
};

// A size with its band.
struct Extent {
  Bytes bytes, low, high;
};

// What breaks of a budget that its caller holds.
struct MemoryFault {
  MemoryBreak what = MemoryBreak::Weights;
  bool certain = true;  // it breaks even at the optimistic end of the band; false: the band
                        // straddles the limit
  std::size_t gpu = 0;  // in the budget's gpus: the one that breaks first
  Extent share;         // what the launch may use of that card
  Bytes asked_pool;     // --kv-cache-memory-bytes; 0: the rest of the share is the pool
  Tokens least_tokens;  // of KV cache, at the lower end of the band
};

struct MemoryVerdict : MemoryFault {
  Budget budget;

  const GpuBudget& at() const { return budget.gpus[gpu]; }
};

// Of the launch as it stands; nothing when its engine, its layout or its memory is not known.
std::optional<Budget> budget_of(const Case& c);

// Nothing when all is well, or when memory cannot be computed.
std::optional<MemoryVerdict> memory_verdict(const Case& c);
// What breaks of a budget that is there already: the case's own.
std::optional<MemoryFault> memory_fault(const Case& c, const Budget& budget);

// Whether the launch fails of it, or does not give what was asked for. Some engines start with less
// KV cache than the longest request takes; where nobody asked for that length, that is all right.
bool stands_in_the_way(const Case& c, const MemoryFault& fault);

// Whether this engine starts with less KV cache than one request of the full context.
bool starts_below_context(const ServeSpec& serve);

// What the launch may use of that card; of a budget whose pool was given by nobody.
Extent share_of(const GpuBudget& gpu);

// Weights with those of a draft; and everything that is paid before KV cache.
Extent weights_of(const GpuBudget& gpu);
Extent spent_before_cache(const GpuBudget& gpu);

}  // namespace sx
