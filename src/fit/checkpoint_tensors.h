// The tensors of a checkpoint by what counts for their size on a rank. Layers of one kind have the
// same ones, and experts of one layer are alike: tens of thousands of tensors become some dozens.
#pragma once

#include <cstddef>
#include <vector>

#include "facts/model_spec.h"
#include "fit/shape.h"
#include "fit/weights.h"

namespace sx {

// Tensors that differ in nothing but their number.
struct LikeTensors {
  const TensorInfo* one = nullptr;
  TensorPlace place;
  int count = 1;
};

// What the loader makes one tensor of.
using JoinedTensors = std::vector<LikeTensors>;

struct CheckpointTensors {
  std::vector<std::vector<JoinedTensors>> kinds;  // of layers
  std::vector<std::size_t> layers;                // the kind of each of the shape's layers
  std::vector<JoinedTensors> beside;              // of no layer
};

// They point into the model.
CheckpointTensors checkpoint_tensors(const ModelSpec& model, const Shape& shape);

}  // namespace sx
