// Weights from the model's shape alone.
#pragma once

#include "fit/shape.h"
#include "fit/weight_parts.h"
#include "fit/weights.h"

namespace sx {

// Torch gives a large tensor whole pieces and lets it keep a small rest (PyTorch
// CUDACachingAllocator).
class Allocator {
 public:
  Allocator();
  double allocated(double bytes) const;

 private:
  double large_, piece_, kept_, small_;
};

// `shape` is the model's. How layers are dealt out to stages is not looked at.
WeightParts parts_by_formula(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask);

// What every rank holds beside the checkpoint's tensors: cos and sin for every position the config
// allows, one table a kind of rope, shared by layers.
double rope_table_bytes(const ModelSpec& model, const Shape& shape);

}  // namespace sx
