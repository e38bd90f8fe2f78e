// Weights with the tower less weights without it.
#include "fit/vision_tower.h"

#include "fit/checkpoint.h"

namespace sx {

Bytes vision_tower_bytes(const ModelSpec& model) {
  for (const PartSum& sum : sums_by_part(model)) {
    if (sum.part == TensorPlace::Part::Vision) return sum.sum.bytes;
  }
  if (!model.tensors.empty() || !model.layers.known() || model.layers.value() <= 0) return {};
  const auto whole = vision_on_ranks(
      model, {.layout = {}, .stage_layers = {model.layers.value()}, .quantization_flag = {}});
  return whole.size() == 1 ? whole.front() : Bytes{};
}

std::vector<Bytes> vision_on_ranks(const ModelSpec& model, WeightsAsk ask) {
  const auto all = rank_weights(model, ask);
  ask.without_vision = true;
  const auto text = rank_weights(model, ask);
  std::vector<Bytes> tower;
  for (std::size_t i = 0; i < all.size() && i < text.size(); ++i)
    tower.push_back(all[i].bytes - text[i].bytes);
  return tower;
}

}  // namespace sx
