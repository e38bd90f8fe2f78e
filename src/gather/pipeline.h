// A diffusion pipeline as its folder has it: model_index.json names the components, each in a
// folder of its own.
#pragma once

#include <string>
#include <vector>

#include "facts/pipeline_part.h"
#include "gather/outside.h"

namespace sx {

// Components in the order of their names in model_index.json; empty: the folder has no readable
// one. A component that model_index.json names and that has no folder is there without files.
std::vector<PipelinePart> pipeline_parts(const std::string& folder, const Files& files);

}  // namespace sx
