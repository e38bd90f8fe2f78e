// Bytes of llama.cpp's cache and of its worst step, as its own start-up lines say them.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "engines/llamacpp/memory_settings.h"
#include "facts/model_spec.h"
#include "fit/shape.h"

namespace sx {

struct LlamaCache {
  std::vector<double> layers;     // bytes of each layer: cache of all cells, or states of all slots
  std::vector<double> per_token;  // bytes a layer takes of each token of the context; 0: it has a
                                  // window or a state
  std::int64_t window_cells = 0;  // of one stream; 0: the model has no windows
  std::vector<double> states;     // part of `layers` that is state
  bool windows = false;
  Bytes whole() const;
};
LlamaCache llama_cache(const ModelSpec& model, const Shape& shape, const LlamaSettings& s);

// Memory of one step that runs on one device. `copies` of its inputs are kept.
struct LlamaStep {
  Bytes bytes, low, high;
  Bytes inputs;  // one copy of them, part of `bytes`
};
LlamaStep llama_step(const ModelSpec& model, const Shape& shape, const LlamaSettings& s,
                     int copies = 1);

// Logits of all slots, in host memory.
Bytes llama_output(const Shape& shape, const LlamaSettings& s);

}  // namespace sx
