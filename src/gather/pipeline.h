// A diffusion pipeline as its folder has it: model_index.json names the components, each in a
// folder of its own.
#pragma once

#include <string>
#include <vector>

#include "facts/model_spec.h"
#include "gather/outside.h"

namespace sx {

struct PipelinePart {
  std::string name;     // "transformer"
  std::string library;  // "diffusers"
  std::string type;     // "QwenImageTransformer2DModel"
  ModelSpec files;      // its weight files and their tensors; without any: a scheduler, a tokenizer
  bool there = false;   // its folder
  Bytes bytes() const;  // of the weights, as they are stored
};

// Components in the order of their names in model_index.json; empty: the folder has no readable
// one. A component that model_index.json names and that has no folder is there without files.
std::vector<PipelinePart> pipeline_parts(const std::string& folder, const Files& files);

}  // namespace sx
