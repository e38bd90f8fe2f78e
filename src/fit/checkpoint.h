// What a checkpoint holds, by the headers of its files: how much of each number type and of each
// part of the model, and where its tensors contradict the config or one another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts/model_spec.h"
#include "fit/weights.h"

namespace sx {

struct TensorSum {
  std::int64_t tensors = 0;
  Bytes bytes;
};

struct DtypeSum {
  std::string dtype;
  TensorSum sum;
};
std::vector<DtypeSum> sums_by_dtype(const ModelSpec& model);  // most bytes first

struct PartSum {
  TensorPlace::Part part = TensorPlace::Part::Other;
  TensorSum sum;
};
std::vector<PartSum> sums_by_part(const ModelSpec& model);  // in the order of the parts, none empty

// A tensor whose size is not what the config says.
struct ShapeConflict {
  std::string tensor;
  std::string_view what;  // the config's name of the size: "hidden_size"
  std::int64_t in_config = 0;
  std::int64_t in_file = 0;
};
// At most one a size. Only of tensors that no quantisation packs, and of sizes that all layers
// share; models with layers unlike one another have none to compare.
std::vector<ShapeConflict> shape_conflicts(const ModelSpec& model);

// Names that occur more than once: whichever file is read last wins. At most 100.
std::vector<std::string> tensors_twice(const ModelSpec& model);

}  // namespace sx
