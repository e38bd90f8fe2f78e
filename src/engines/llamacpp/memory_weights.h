// Bytes of each layer's weights in a GGUF file: by its own tensors, else by its bits.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "facts/model_spec.h"
#include "fit/shape.h"

namespace sx {

struct LlamaWeights {
  std::vector<double> layers;   // all of a layer
  std::vector<double> experts;  // part of it: routed experts
  std::vector<double> small;    // part of it: vectors, which a split by rows leaves whole
  double embedding = 0;         // stays in host memory
  double output = 0;            // head and last norm
  bool exact = false;
  double low = 1, high = 1;  // band, times the bytes
};

// `name`: what the launch calls the model, whose tag tells the bits where no file was read. Nothing
// when neither tells.
std::optional<LlamaWeights> llama_weights(const ModelSpec& model, const Shape& shape,
                                          std::string_view name, const Version& version);

}  // namespace sx
