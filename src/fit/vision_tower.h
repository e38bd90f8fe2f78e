// The vision tower of a vision-language model: how much of the weights it is, and what a rank holds
// of it.
#pragma once

#include <vector>

#include "fit/weights.h"

namespace sx {

// As it is stored: by its tensors; of a model without files by what is saved when it is left out.
// 0: there is none, or its size is not known.
Bytes vision_tower_bytes(const ModelSpec& model);

// What a rank of each stage holds of it. Empty when the model's widths are unknown.
std::vector<Bytes> vision_on_ranks(const ModelSpec& model, WeightsAsk ask);

}  // namespace sx
