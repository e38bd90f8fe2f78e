// Bytes an element of a weight matrix takes, scales included, and which parts of a model a
// checkpoint leaves in 16 bit.
#pragma once

#include <string>
#include <string_view>

#include "facts/host_spec.h"
#include "facts/model_spec.h"
#include "fit/shape.h"

namespace sx {

struct NumberFormats {
  double attention = 2, dense = 2, expert = 2;  // bytes an element
  bool padded_experts = false;                  // MXFP4: kernels widen the expert matrices
  bool sure = true;  // false: checkpoints of this kind differ in what they leave in 16 bit
  std::string name;  // for a note: "bf16", "int4", "fp8"
};

// `flag` is a --quantization given on an unquantised checkpoint; empty: none.
NumberFormats number_formats(const ModelSpec& model, const Shape& shape, std::string_view flag);

// How much larger the expert matrices become for their kernel on this kind of card (1: not).
double expert_padding(const Shape& shape, std::int64_t expert_width,
                      const ComputeCapability& capability);

}  // namespace sx
