// Weights of each stage from the headers of the checkpoint's own files.
#pragma once

#include <vector>

#include "fit/shape.h"
#include "fit/weights.h"

namespace sx {

// Whether the headers that were read are of all of the model's files.
bool headers_are_whole(const ModelSpec& model);

// As rank_weights, for a model with tensors.
std::vector<RankWeights> weights_from_headers(const ModelSpec& model, const Shape& shape,
                                              const WeightsAsk& ask);

}  // namespace sx
