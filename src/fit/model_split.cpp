// Sizes, formats, kinds of layers and bytes of cache of one rank.
#include "fit/model_split.h"

#include <algorithm>

namespace sx {

std::optional<ModelSplit> split_of(const ModelSpec& model, std::string_view quantization_flag,
                                   const SplitSizes& sizes, double kv_element) {
  const auto shape = shape_of(model);
  if (!shape || sizes.tensor < 1) return {};
  const int tensor = sizes.tensor;
  ModelSplit split{.sizes = sizes,
                   .shape = *shape,
                   .formats = weight_formats(model, *shape, quantization_flag),
                   .wide = wide_layers(*shape),
                   .kinds = layer_kinds(model),
                   .kv_element = kv_element};
  const bool has_wide = split.wide.every > 0;
  split.usual_token_bytes =
      static_cast<double>(kv_bytes_per_token_and_layer(model, tensor, kv_element, 0));
  if (has_wide) {
    split.wide_token_bytes = static_cast<double>(kv_bytes_per_token_and_layer(
        model, tensor, kv_element, static_cast<int>(split.wide.every) - 1));
  }
  if (model.sliding_window.known())
    split.window = static_cast<double>(model.sliding_window.value().count());
  if (shape->is_hybrid())
    split.state_bytes = static_cast<double>(linear_state_bytes(model, tensor).count());
  if (shape->is_mla() && indexer_heads(shape->type) > 0) {
    split.sparse_tokens = formula_constant("sparse-attention-tokens");
    split.indexer_bytes = formula_constant("sparse-indexer-bytes");
    split.usual_token_bytes -= split.indexer_bytes;  // counted apart
  }
  return split;
}

double expert_width_here(const ModelSplit& split) {
  const auto width = static_cast<double>(split.shape.expert_width);
  return split.sizes.expert_ranks > 1 ? width : width / split.sizes.expert_cut;
}

std::vector<LayerClass> classes_of(const ModelSplit& split, int first_layer, int layers) {
  std::vector<LayerClass> classes;
  for (int layer = first_layer; layer < first_layer + layers; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    LayerClass own;
    own.kind = at < split.kinds.size() ? split.kinds[at] : LayerKind::Full;
    own.latent = split.shape.is_mla() && own.kind != LayerKind::Linear;
    own.experts = split.shape.is_moe_layer(layer);
    own.wide = split.wide.has(layer);
    const auto same = std::ranges::find_if(classes, [&](const LayerClass& other) {
      return other.kind == own.kind && other.experts == own.experts && other.wide == own.wide;
    });
    if (same != classes.end()) {
      ++same->count;
      continue;
    }
    own.count = 1;
    own.token_bytes = own.wide ? split.wide_token_bytes : split.usual_token_bytes;
    classes.push_back(own);
  }
  return classes;
}

}  // namespace sx
