// A search asks for the same few things of one model hundreds of times. While one of these lives,
// what formulas make of this very model is worked out once; its keys hold all of a question that
// the answer hangs on.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>

#include "facts/host_spec.h"
#include "facts/model_spec.h"
#include "fit/checkpoint_tensors.h"
#include "fit/kv.h"
#include "fit/shape.h"
#include "fit/weight_parts.h"
#include "fit/weights.h"

namespace sx {

// All of a question for weights but how layers are dealt out to stages.
struct WeightsKey {
  int tensor = 1, data = 1, prefill_context = 1;
  bool expert = false, without_vision = false, whole_vision_tower = false, over_data = false,
       latent_products = false;
  int dtype_bytes = 2, vocabulary_padding = 1, attention_ranks = 0;
  ComputeCapability capability;
  std::string quantization_flag;

  explicit WeightsKey(const WeightsAsk& ask);
  auto operator<=>(const WeightsKey&) const = default;
};

class ModelOnce {
 public:
  // The model must not change while this lives. Where one of that model lives already, that one is
  // asked.
  explicit ModelOnce(const ModelSpec& model);
  ~ModelOnce();
  ModelOnce(const ModelOnce&) = delete;
  ModelOnce& operator=(const ModelOnce&) = delete;

  // The one of that model; null: there is none.
  static ModelOnce* of(const ModelSpec& model);

  // Each is filled by the function that works it out, when it first does.
  std::optional<std::optional<Shape>> shape;
  std::optional<PoolModel> pools;
  std::optional<LayerPattern> pattern;
  std::optional<CheckpointTensors> tensors;
  std::map<WeightsKey, WeightParts> weights;

 private:
  const ModelSpec& model_;
  ModelOnce* before_ = nullptr;
  bool asked_ = false;
};

}  // namespace sx
