// Weights by tensor headers where a folder was read, else by formula.
#include "fit/weights.h"

#include "fit/model_once.h"
#include "fit/shape.h"
#include "fit/weights_by_formula.h"
#include "fit/weights_from_headers.h"

namespace sx {
namespace {

WeightParts from_headers(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask,
                         ModelOnce* once) {
  if (once == nullptr)
    return parts_from_headers(model, shape, ask, checkpoint_tensors(model, shape));
  if (!once->tensors) once->tensors = checkpoint_tensors(model, shape);
  return parts_from_headers(model, shape, ask, *once->tensors);
}

WeightParts parts_of(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask,
                     ModelOnce* once) {
  return headers_are_whole(model) ? from_headers(model, shape, ask, once)
                                  : parts_by_formula(model, shape, ask);
}

}  // namespace

std::vector<RankWeights> rank_weights(const ModelSpec& model, const WeightsAsk& ask) {
  ModelOnce* once = ModelOnce::of(model);
  if (once != nullptr) {
    const auto known = once->weights.find(WeightsKey(ask));
    if (known != once->weights.end()) return on_stages(known->second, ask.stage_layers);
  }
  const auto shape = shape_of(model);
  if (!shape) return {};
  WeightParts parts = parts_of(model, *shape, ask, once);
  std::vector<RankWeights> stages = on_stages(parts, ask.stage_layers);
  if (once != nullptr) once->weights.emplace(ask, std::move(parts));
  return stages;
}

}  // namespace sx
