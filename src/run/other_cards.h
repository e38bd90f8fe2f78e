// A replica whose own GPUs are lost or taken, on other cards of the same machine: which may do, and
// its launch there, where `check` has nothing against it.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/both.h"
#include "run/deployment.h"
#include "run/gpu_release.h"

namespace sx {

// What is wrong with cards of a launch, as the driver tells it now.
struct CardTrouble {
  std::vector<int> gpus;  // that cannot be used
  Both why;               // empty: nothing is wrong
};
// `before`: when nothing of ours ran. Lost: the driver lists it and reaches it no longer. Taken: it
// holds more than before, though nothing of this replica is left.
CardTrouble trouble_with(const EngineLaunch& launch, const std::vector<GpuUse>& before,
                         const std::vector<GpuUse>& now);

struct OtherCardsAsk {
  std::string program;                       // our own, for `check`
  EngineLaunch launch;                       // of the replica, as it is
  std::vector<int> bad;                      // of its cards; the others it may keep
  std::vector<int> not_these;                // other replicas have them
  std::vector<GpuUse> now;                   // what every card holds
  const std::atomic<bool>* hurry = nullptr;  // all goes down: nothing is looked for any more
  bool in_spite_of_errors = false;           // somebody wanted this launch whatever `check` says
};
// The cards that may take the place of its own, each of the same kind, free, and as many; the best
// choice first, at most a few.
std::vector<std::vector<int>> other_cards(const OtherCardsAsk& ask);
// The same launch there, as it sees them.
EngineLaunch on_cards(const EngineLaunch& launch, const std::vector<int>& gpus);
// Nothing: there are none, or `check` finds errors with each. Takes seconds.
std::optional<EngineLaunch> launch_elsewhere(const OtherCardsAsk& ask);

}  // namespace sx
