// From stacks to one sentence a process: what it waits for, and which of them waits elsewhere than
// all the others.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "knowledge/stack_frames.h"
#include "read/stacks.h"

namespace sx {

struct Wait {
  const StackProcess* process = nullptr;
  const StackThread* thread = nullptr;
  const StackFrame* frame = nullptr;   // the one that says it; null: no stack at all
  const StackFrameRow* row = nullptr;  // null: the innermost frame is all that is known
};

struct Waits {
  std::vector<Wait> all;            // one a process that has a stack, in the order of ranks
  std::vector<std::size_t> behind;  // of `all`: they wait elsewhere than most
  std::optional<std::size_t> most;  // of `all`: one of those where most wait
  bool together = false;            // all ranks wait in the same collective
  bool out_of_step = false;         // all wait in collectives, of unlike kinds
};

// Views into the log.
Waits waits_of(const StackLog& log);

}  // namespace sx
