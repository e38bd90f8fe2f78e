// Weights by tensor headers where a folder was read, else by formula.
#include "fit/weights.h"

#include "fit/shape.h"
#include "fit/weights_by_formula.h"
#include "fit/weights_from_headers.h"

namespace sx {

std::vector<RankWeights> rank_weights(const ModelSpec& model, const WeightsAsk& ask) {
  const auto shape = shape_of(model);
  if (!shape) return {};
  if (headers_are_whole(model)) return weights_from_headers(model, *shape, ask);
  return weights_by_formula(model, *shape, ask);
}

}  // namespace sx
