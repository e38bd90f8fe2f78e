// Layers, heads and widths in the spellings of all families; latent (MLA) and linear attention.
#include "gather/model_parts.h"
#include "knowledge/model_classes.h"

namespace sx {
namespace {

constexpr Text kVaryingLayers{"the layers of this model differ in their {key}",
                              "该模型各层的 {key} 不同"};

// The config's number, or what the class takes when a nested part leaves it out.
Fact<int> count_or_class(const ConfigParts& config, ConfigFields::Keys keys) {
  Fact<int> fact = config.text.count(keys);
  if (fact.known() || config.text.has(keys) || !config.nested) return fact;
  const auto assumed = class_count(config.family, *keys.begin());
  return assumed ? Fact<int>(*assumed, Origin::Default) : fact;
}

// Whether all heads share one key and value head; chatglm says with another field how many there
// are. As vLLM has it: get_total_num_kv_heads of config/model.py.
bool one_kv_head(const ConfigFields& text) {
  return text.truth({"multi_query"}).value_or(false) &&
         !text.truth({"new_decoder_architecture"}).value_or(false);
}

Fact<int> kv_heads(const ModelSpec& model, const ConfigParts& config) {
  const ConfigFields& text = config.text;
  if (one_kv_head(text)) return {1, Origin::Config, text.place(text.find({"multi_query"}))};
  if (text.has({"block_configs"}))
    return Fact<int>::unknown({kVaryingLayers, {{"key", "num_key_value_heads"}}});
  const bool groups_off = !text.truth({"multi_query_attention"}).value_or(true);
  if (groups_off) return model.heads;
  const ConfigFields::Keys keys = {
      "num_key_value_heads",  "n_head_kv",  "num_kv_heads", "multi_query_group_num",
      "num_attention_groups", "kv_n_heads", "n_kv_heads"};
  Fact<int> fact = count_or_class(config, keys);
  if (fact.known() || text.has(keys) || !model.heads.known()) return fact;
  return {model.heads.value(), Origin::Default};
}

Fact<int> head_dim(const ModelSpec& model, const ConfigParts& config) {
  const ConfigFields::Keys keys = {"head_dim", "kv_channels", "attention_head_dim", "head_size"};
  Fact<int> fact = count_or_class(config, keys);
  if (fact.known() || config.text.has(keys)) return fact;
  if (model.is_mla() && model.qk_nope_dim.known() && model.qk_rope_dim.known()) {
    return {model.qk_nope_dim.value() + model.qk_rope_dim.value(), Origin::Formula};
  }
  if (!model.hidden_size.known() || !model.heads.known()) return fact;
  const int width = model.hidden_size.value() / model.heads.value();
  if (width == 0) return fact;
  return {width, Origin::Formula};
}

Fact<int> mlp_width(const ModelSpec& model, const ConfigParts& config) {
  const ConfigFields::Keys keys = {"intermediate_size", "ffn_hidden_size", "ffn_dim",
                                   "n_inner",           "inner_dim",       "d_ff"};
  Fact<int> fact = count_or_class(config, keys);
  if (fact.known() && class_truth(config.family, "gate_and_up_counted").value_or(false)) {
    return {fact.value() / 2, Origin::Config, fact.span()};
  }
  if (fact.known() || config.text.has(keys) || !model.hidden_size.known()) return fact;
  // GPT-2 and its kin leave it out where it is the usual multiple.
  constexpr int kMostTimes = 64;  // a replaced table may say anything
  const auto times = class_count(config.family, "mlp_over_hidden");
  if (!times || *times > kMostTimes) return fact;
  return {model.hidden_size.value() * *times, Origin::Default};
}

// An absent latent width means that there is no latent attention.
Fact<int> count_or_none(const ConfigFields& text, ConfigFields::Keys keys) {
  return text.has(keys) ? text.count(keys, Zero::Allowed) : none_of_it();
}

void read_latent(ModelSpec& model, const ConfigFields& text) {
  model.kv_lora = count_or_none(text, {"kv_lora_rank"});
  model.q_lora = count_or_none(text, {"q_lora_rank"});
  model.qk_nope_dim = count_or_none(text, {"qk_nope_head_dim"});
  model.qk_rope_dim = count_or_none(text, {"qk_rope_head_dim"});
  model.v_head_dim = count_or_none(text, {"v_head_dim"});
}

void read_linear(ModelSpec& model, const ConfigFields& text) {
  model.linear_key_heads = count_or_none(text, {"linear_num_key_heads"});
  model.linear_value_heads = count_or_none(text, {"linear_num_value_heads"});
  model.linear_key_dim = count_or_none(text, {"linear_key_head_dim"});
  model.linear_value_dim = count_or_none(text, {"linear_value_head_dim"});
  model.linear_conv = count_or_none(text, {"linear_conv_kernel_dim"});
  model.full_interval = count_or_none(text, {"full_attention_interval"});
}

Fact<bool> qkv_bias(const ConfigParts& config) {
  const ConfigFields& text = config.text;
  const ConfigFields::Keys keys = {"attention_bias", "qkv_bias", "add_qkv_bias", "use_qkv_bias"};
  Fact<bool> fact = text.truth(keys);
  if (fact.known() || text.has(keys)) return fact;
  const auto assumed = class_truth(config.family, "qkv_bias");
  return assumed ? Fact<bool>(*assumed, Origin::Default) : fact;
}

// Some classes gate the attention's output by a second half of the query projection.
Fact<bool> gated_query(const ConfigParts& config) {
  const ConfigFields& text = config.text;
  if (text.has({"attn_output_gate"})) return text.truth({"attn_output_gate"});
  return {class_truth(config.family, "attn_output_gate").value_or(false), Origin::Default};
}

}  // namespace

void read_attention(ModelSpec& model, const ConfigParts& config) {
  model.layers = count_or_class(config, {"num_hidden_layers", "n_layer", "num_layers", "n_layers"});
  model.hidden_size =
      count_or_class(config, {"hidden_size", "n_embd", "d_model", "n_embed", "model_dim"});
  model.heads = count_or_class(
      config, {"num_attention_heads", "n_head", "num_heads", "n_heads", "num_query_heads"});
  model.vocab_size = count_or_class(config, {"vocab_size", "padded_vocab_size", "n_vocab"});
  read_latent(model, config.text);
  read_linear(model, config.text);
  model.kv_heads = kv_heads(model, config);
  model.head_dim = head_dim(model, config);
  model.intermediate_size = mlp_width(model, config);
  model.qkv_bias = qkv_bias(config);
  model.gated_query = gated_query(config);
}

}  // namespace sx
