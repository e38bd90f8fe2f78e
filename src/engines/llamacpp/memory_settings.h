// What a llama.cpp launch's flags come down to for memory: the context as the engine resolves it,
// slots, batches, cache types, where layers go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/case.h"
#include "fit/shape.h"
#include "knowledge/constants.h"

namespace sx {

enum class LlamaSplit { None, Layer, Row, Tensor };

// Experts that stay in host memory.
struct LlamaExpertsOnHost {
  bool all = false;
  int first_layers = 0;     // of so many layers from the front
  bool unreadable = false;  // --override-tensor says more than is understood here
};

struct LlamaSettings {
  Version version;
  int slots = 1;
  bool slots_asked = false;
  bool unified = false;  // all slots share one cache
  Tokens context;        // of all slots together
  Tokens slot_context;   // of one slot
  bool context_asked = false;
  std::int64_t cells = 0;  // of one stream
  std::int64_t streams = 1;
  std::int64_t batch = 0, physical_batch = 0;
  double key_bytes = 2, value_bytes = 2;  // an element of the cache
  bool flash = true;
  bool whole_windows = false;  // --swa-full
  bool cache_on_gpu = true;
  LlamaSplit split = LlamaSplit::Layer;
  std::vector<double> shares;  // --tensor-split; empty: by free memory
  int main_gpu = 0;
  int gpu_layers = 0;  // from the back, the output counts as one more
  bool gpu_layers_asked = false;
  bool fits_itself = false;  // --fit: the engine takes less where memory is short
  LlamaExpertsOnHost experts;
};

LlamaSettings llama_settings(const Case& c);

// A constant of llama.cpp; asking for one that is not there is a bug of ours.
Constant llama_constant(std::string_view name, const Version& version);

}  // namespace sx
