// Uneven pipeline stages: the layers of each so that the tightest one has as much room for KV cache
// as can be.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "facts/case.h"
#include "fit/budget.h"

namespace sx {

struct StageSplit {
  std::vector<int> layers;
  std::vector<int> usual;                // what the engine does by itself
  std::shared_ptr<const Budget> budget;  // with these layers
};

// A split with more room than the engine's own; nothing when there is none worth saying, or the
// engine takes none.
std::optional<StageSplit> better_stages(const Case& launch, const Budget& usual);

// Whether so many more tokens of KV cache are worth another variable in the command.
bool worth_it(Tokens usual, Tokens better);

Message stages_note(const StageSplit& split, Tokens usual, Tokens better);

}  // namespace sx
