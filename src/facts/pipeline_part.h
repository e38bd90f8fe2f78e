// A component of a diffusion pipeline: a model folder of its own inside the pipeline's folder.
#pragma once

#include <string>
#include <vector>

#include "facts/model_spec.h"

namespace sx {

struct PipelinePart {
  std::string name;     // "transformer"
  std::string library;  // "diffusers"
  std::string type;     // "QwenImageTransformer2DModel"
  ModelSpec files;      // its weight files and their tensors; without any: a scheduler, a tokenizer
  bool there = false;   // its folder
  Bytes bytes() const;  // of the weights, as they are stored
};

Bytes weights_of(const std::vector<PipelinePart>& parts);
// The one with the most weights; null: none has any.
const PipelinePart* largest_of(const std::vector<PipelinePart>& parts);

}  // namespace sx
