// Models whose files are known tensor by tensor.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "facts/model_spec.h"

namespace sx {

// Another tensor of 16-bit numbers.
inline void add_tensor(ModelSpec& model, const std::string& name, std::vector<std::int64_t> shape) {
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) elements *= size;
  model.tensors.push_back({name, "BF16", std::move(shape), Bytes{elements * 2}});
}

}  // namespace sx
