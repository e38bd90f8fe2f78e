// How ranks are laid over GPUs: sizes of each kind of parallelism, and which layers each stage
// holds.
#pragma once

#include <string>
#include <vector>

#include "base/version.h"

namespace sx {

struct Layout {
  int tensor = 1;
  int pipeline = 1;
  int data = 1;
  bool expert = false;  // experts stay whole, shared out over tensor x data ranks
  int prefill_context = 1;
  int decode_context = 1;
  std::vector<int> partition;  // layers a stage when the user gives them; empty: the engine's rule

  int gpus_a_replica() const { return tensor * pipeline * prefill_context; }
  int gpus() const { return gpus_a_replica() * data; }
  std::string label() const;  // "TP2 x PP3", "TP4", "TP2 x PP1 x DP3"
  bool operator==(const Layout&) const = default;
};

// Layers each stage gets. From vLLM 0.8.5 on (`rest_before_last`): the rest goes one layer each to
// the stages before the last, counted back from the second to last; before: all of the rest to the
// last stage. 80 over 3: 27, 27, 26.
enum class StageRule { RestBeforeLast, RestToLast };
std::vector<int> stage_layers(int layers, int stages, StageRule rule);

}  // namespace sx
