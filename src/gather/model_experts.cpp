// Experts, shared experts, dense layers in front, draft layers; and the vision tower.
#include <algorithm>
#include <cmath>

#include "gather/model_parts.h"
#include "knowledge/model_classes.h"

namespace sx {
namespace {

constexpr Text kNotMentioned{"{file} does not say whether the checkpoint has draft layers",
                             "{file} 没有说明权重是否带有草稿层"};

Fact<int> count_or_none(const ConfigFields& fields, ConfigFields::Keys keys) {
  return fields.has(keys) ? fields.count(keys, Zero::Allowed) : none_of_it();
}

Fact<int> expert_width(const ModelSpec& model, const ConfigFields& text) {
  const ConfigFields::Keys keys = {"moe_intermediate_size", "expert_intermediate_size",
                                   "moe_ffn_hidden_size", "ffn_hidden_size"};
  if (!model.is_moe()) return none_of_it();
  if (text.has(keys)) return text.count(keys);
  // Mixtral, gpt-oss, Llama 4, MiniMax: the one width is that of an expert.
  return model.intermediate_size;
}

// DeepSeek and GLM count shared experts of an expert's width, run as one wide MLP; Qwen gives the
// width itself.
Fact<int> shared_width(const ModelSpec& model, const ConfigParts& config) {
  const ConfigFields& text = config.text;
  if (!model.is_moe()) return none_of_it();
  const ConfigFields::Keys widths = {"shared_expert_intermediate_size",
                                     "moe_shared_expert_intermediate_size",
                                     "shared_intermediate_size", "share_expert_dim"};
  if (text.has(widths)) return text.count(widths, Zero::Allowed);
  const ConfigFields::Keys counts = {"n_shared_experts", "num_shared_experts",
                                     "moe_num_shared_experts", "num_shared_expert"};
  if (text.has(counts)) {
    const Fact<int> shared = text.count(counts, Zero::Allowed);
    if (!shared.known()) return shared;
    if (!model.expert_width.known()) return model.expert_width;
    const std::int64_t width = std::int64_t{shared.value()} * model.expert_width.value();
    if (width > 10'000'000) return Fact<int>::unknown(text.senseless(text.find(counts)));
    return {static_cast<int>(width), Origin::Config, shared.span()};
  }
  // Without a word in the config: one shared expert, as wide as the others.
  if (class_truth(config.family, "shared_expert_as_wide").value_or(false))
    return model.intermediate_size;
  return none_of_it();
}

// Leading zeros of a list that says for each layer whether it has experts.
Fact<int> leading_dense(const ConfigFields& text, JsonValue list) {
  int dense = 0;
  for (JsonValue layer = list.first(); layer && layer.integer() == 0; layer = layer.next()) ++dense;
  return {dense, Origin::Config, text.place(list)};
}

// [0, 1, 2]: the first three. A list with gaps is no number of first layers.
Fact<int> first_of_list(const ConfigFields& text, JsonValue list) {
  int dense = 0;
  for (JsonValue layer = list.first(); layer; layer = layer.next()) {
    if (layer.integer() != dense) return Fact<int>::unknown(text.senseless(list));
    ++dense;
  }
  return {dense, Origin::Config, text.place(list)};
}

Fact<int> dense_first(const ModelSpec& model, const ConfigFields& text) {
  if (!model.is_moe()) return none_of_it();
  if (text.has({"first_k_dense_replace"}))
    return text.count({"first_k_dense_replace"}, Zero::Allowed);
  if (text.has({"moe_layer_start_index"}))
    return text.count({"moe_layer_start_index"}, Zero::Allowed);
  const JsonValue pattern = text.find({"moe_layer_freq"});
  if (pattern.is(JsonKind::Array)) return leading_dense(text, pattern);
  const JsonValue list = text.find({"mlp_only_layers"});
  if (list.is(JsonKind::Array)) return first_of_list(text, list);
  return none_of_it();
}

Fact<int> expert_interval(const ModelSpec& model, const ConfigFields& text) {
  if (!model.is_moe()) return none_of_it();
  const ConfigFields::Keys keys = {"interleave_moe_layer_step", "decoder_sparse_step",
                                   "moe_layer_interval"};
  if (text.has(keys)) return text.count(keys);
  return {1, Origin::Default};
}

Fact<int> draft_layers(const ConfigParts& config) {
  const ConfigFields& text = config.text;
  const ConfigFields::Keys keys = {"num_nextn_predict_layers", "mtp_num_hidden_layers",
                                   "num_mtp_layers", "num_mtp_modules"};
  if (text.has(keys)) return text.count(keys, Zero::Allowed);
  if (class_truth(config.family, "draft_layers_unmentioned").value_or(false))
    return Fact<int>::unknown({kNotMentioned, {{"file", text.file()}}});
  return none_of_it();
}

Fact<int> tower_width(const ConfigFields& tower, const Fact<int>& hidden) {
  const ConfigFields::Keys keys = {"intermediate_size", "vt_intermediate_size", "mlp_hidden_dim"};
  if (tower.has(keys)) return tower.count(keys);
  const auto ratio = tower.find({"mlp_ratio"}).number();
  if (!ratio || !hidden.known() || *ratio < 0.1 || *ratio > 100) return tower.count(keys);
  return {static_cast<int>(std::lround(*ratio * hidden.value())), Origin::Formula};
}

}  // namespace

void read_experts(ModelSpec& model, const ConfigParts& config) {
  const ConfigFields& text = config.text;
  model.experts = count_or_none(
      text, {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"});
  model.experts_per_token =
      model.is_moe() ? text.count({"num_experts_per_tok", "num_experts_per_token", "moe_top_k",
                                   "moe_topk", "moe_k", "num_selected_experts", "top_k"})
                     : none_of_it();
  model.expert_width = expert_width(model, text);
  model.shared_expert_width = shared_width(model, config);
  model.dense_layers_first = dense_first(model, text);
  model.expert_interval = expert_interval(model, text);
  model.draft_layers = draft_layers(config);
}

void read_vision(ModelSpec& model, const ConfigParts& config) {
  if (!config.vision.is(JsonKind::Object)) {
    model.vision.layers = none_of_it();
    return;
  }
  const ConfigFields tower(config.text.source(), config.text.file(), {config.vision});
  VisionTower& vision = model.vision;
  vision.layers = tower.count({"depth", "num_hidden_layers", "layers", "vt_num_hidden_layers"});
  // Qwen2-VL writes the width as embed_dim and the width of its output as hidden_size.
  vision.hidden_size = tower.count({"embed_dim", "vt_hidden_size", "hidden_size", "width"});
  vision.heads = tower.count(
      {"num_heads", "num_attention_heads", "attention_heads", "vt_num_attention_heads"});
  vision.patch_size = tower.count({"patch_size", "spatial_patch_size"});
  vision.intermediate_size = tower_width(tower, vision.hidden_size);
  vision.out_hidden_size = tower.count({"out_hidden_size"});
  if (!tower.has({"out_hidden_size"}) && tower.has({"embed_dim"}))
    vision.out_hidden_size = tower.count({"hidden_size"});
}

}  // namespace sx
