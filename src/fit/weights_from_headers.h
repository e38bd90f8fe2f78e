// Weights from the headers of the checkpoint's own files.
#pragma once

#include "fit/checkpoint_tensors.h"
#include "fit/shape.h"
#include "fit/weight_parts.h"
#include "fit/weights.h"

namespace sx {

// Whether the headers that were read are of all of the model's files.
bool headers_are_whole(const ModelSpec& model);

// `shape` and `tensors` are the model's. How layers are dealt out to stages is not looked at.
WeightParts parts_from_headers(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask,
                               const CheckpointTensors& tensors);

}  // namespace sx
