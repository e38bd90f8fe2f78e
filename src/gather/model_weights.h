// The weight files of a model folder: which there are, which are whole, and what their headers
// tell.
#pragma once

#include <string>

#include "facts/model_spec.h"
#include "sys/files.h"

namespace sx {

// Fills files, tensors, weight_format, index_problem, index_without_file, checkpoint_bytes, and
// parameters_billion when each element is a parameter. Reads headers only, each file once.
void read_weights(ModelSpec& model, const Files& files, const std::string& folder);

}  // namespace sx
