// Catalogue cells → facts: "null" is unknown, "-" and "none" are a known zero.
#include "gather/model_catalogue.h"

#include <cmath>

#include "base/strings.h"
#include "gather/model_parts.h"
#include "knowledge/model_classes.h"

namespace sx {
namespace {

constexpr Text kNotInRow{"the built-in catalogue does not have {column} for this model",
                         "内置数据没有该模型的 {column}"};
constexpr Text kNoConfig{"the config was not read: the facts come from the built-in catalogue",
                         "没有读取配置：数据来自内置数据"};
constexpr std::int64_t kLargestCount = 10'000'000;

template <class T>
Fact<T> not_in_row(std::string_view column) {
  return Fact<T>::unknown({kNotInRow, {{"column", column}}});
}

Fact<int> count(const ModelRow& row, std::string_view column) {
  if (row.has_none(column)) return {0, Origin::Config};
  const auto value = row.integer(column);
  if (!value || *value < 0 || *value > kLargestCount) return not_in_row<int>(column);
  return {static_cast<int>(*value), Origin::Config};
}

Fact<std::string> word(const ModelRow& row, std::string_view column) {
  const auto text = row.text(column);
  if (!text) return not_in_row<std::string>(column);
  return {std::string(*text), Origin::Config};
}

Fact<bool> truth(const ModelRow& row, std::string_view column) {
  const auto text = row.text(column);
  if (text == "true" || text == "false") return {text == "true", Origin::Config};
  return not_in_row<bool>(column);
}

// "yarn;factor=40;orig=4096", "default;mrope_section=11/11/10", "longrope".
Fact<RopeScaling> rope(const ModelRow& row) {
  if (row.has_none("rope_scaling")) return {RopeScaling{}, Origin::Config};
  const auto text = row.text("rope_scaling");
  if (!text || *text == "unspecified") return not_in_row<RopeScaling>("rope_scaling");
  RopeScaling scaling;
  for (const std::string_view part : split(*text, ';')) {
    if (part.starts_with("factor=")) {
      scaling.factor = to_number(part.substr(7));
    } else if (part.starts_with("orig=")) {
      if (const auto original = to_integer(part.substr(5))) scaling.original_positions = *original;
    } else if (part.find('=') == std::string_view::npos) {
      scaling.type = part;
    }
  }
  return {scaling, Origin::Config};
}

Fact<Tokens> sliding_window(const ModelRow& row) {
  const auto text = row.text("sliding_window");
  if (row.has_none("sliding_window") || text == "disabled") return {Tokens{0}, Origin::Config};
  const auto value = row.integer("sliding_window");
  if (!value || *value < 1) return not_in_row<Tokens>("sliding_window");
  return {Tokens{*value}, Origin::Config};
}

// "gptq", "modelopt:NVFP4", "compressed-tensors:FP8".
Fact<Quantisation> quantisation(const ModelRow& row) {
  if (row.has_none("quant_method")) return {Quantisation{}, Origin::Config};
  const auto text = row.text("quant_method");
  if (!text) return not_in_row<Quantisation>("quant_method");
  const auto colon = std::min(text->find(':'), text->size());
  Quantisation quant{.method = std::string(text->substr(0, colon))};
  if (colon < text->size()) quant.format = text->substr(colon + 1);
  quant.bits = row.number("quant_bits");
  if (const auto group = row.integer("quant_group_size"))
    quant.group_size = static_cast<int>(*group);
  if (const auto block = row.text("quant_weight_block")) {
    const auto sizes = split(*block, 'x');
    const auto rows = to_integer(sizes.front());
    const auto columns = to_integer(sizes.back());
    if (sizes.size() == 2 && rows && columns) {
      quant.block_rows = static_cast<int>(*rows);
      quant.block_columns = static_cast<int>(*columns);
    }
  }
  if (row.text("notes").value_or("").find("kv_cache_quant_algo=FP8") != std::string_view::npos)
    quant.kv_fp8 = true;
  return {std::move(quant), Origin::Config};
}

// Shared experts as one width: given, or so many of an expert's width.
Fact<int> shared_width(const ModelRow& row, const ModelSpec& model) {
  const Fact<int> width = count(row, "shared_expert_intermediate_size");
  if (width.known()) return width;
  const Fact<int> experts = count(row, "n_shared_experts");
  if (!experts.known() || !model.expert_width.known()) return width;
  return {experts.value() * model.expert_width.value(), Origin::Config};
}

void read_shape(ModelSpec& model, const ModelRow& row) {
  model.layers = count(row, "num_hidden_layers");
  model.hidden_size = count(row, "hidden_size");
  model.intermediate_size = count(row, "intermediate_size");
  model.heads = count(row, "num_attention_heads");
  model.kv_heads = count(row, "num_key_value_heads");
  model.vocab_size = count(row, "vocab_size");
  model.q_lora = count(row, "q_lora_rank");
  model.kv_lora = count(row, "kv_lora_rank");
  model.qk_nope_dim = count(row, "qk_nope_head_dim");
  model.qk_rope_dim = count(row, "qk_rope_head_dim");
  model.v_head_dim = count(row, "v_head_dim");
  model.head_dim = count(row, "head_dim");
  if (!model.head_dim.known() && model.is_mla() && model.qk_nope_dim.known() &&
      model.qk_rope_dim.known()) {
    model.head_dim = {model.qk_nope_dim.value() + model.qk_rope_dim.value(), Origin::Formula};
  }
  model.linear_key_heads = count(row, "linear_num_key_heads");
  model.linear_value_heads = count(row, "linear_num_value_heads");
  model.linear_key_dim = count(row, "linear_key_head_dim");
  model.linear_value_dim = count(row, "linear_value_head_dim");
  model.linear_conv = count(row, "linear_conv_kernel");
  model.full_interval = count(row, "full_attention_interval");
  model.tied_embeddings = truth(row, "tie_word_embeddings");
  model.qkv_bias = truth(row, "qkv_bias");
  const std::string family = model.model_type.value_or("");
  model.gated_query = {class_truth(family, "attn_output_gate").value_or(false), Origin::Default};
}

void read_experts(ModelSpec& model, const ModelRow& row) {
  model.experts = count(row, "n_experts");
  model.experts_per_token = count(row, "experts_per_tok");
  model.expert_width = count(row, "moe_intermediate_size");
  model.shared_expert_width = shared_width(row, model);
  model.dense_layers_first = count(row, "first_k_dense");
  model.expert_interval =
      model.experts.known() && !model.is_moe() ? none_of_it() : count(row, "expert_interval");
  model.draft_layers = count(row, "mtp_layers");
}

void read_vision(ModelSpec& model, const ModelRow& row) {
  model.vision.layers = count(row, "vision_depth");
  model.vision.hidden_size = count(row, "vision_hidden");
  model.vision.intermediate_size = count(row, "vision_intermediate");
  model.vision.heads = count(row, "vision_heads");
  model.vision.patch_size = count(row, "vision_patch");
  model.vision.out_hidden_size = count(row, "vision_out_hidden");
}

void read_context(ModelSpec& model, const ModelRow& row) {
  const auto positions = row.integer("max_position_embeddings");
  model.config_positions = positions && *positions > 0
                               ? Fact<std::int64_t>(*positions, Origin::Config)
                               : not_in_row<std::int64_t>("max_position_embeddings");
  model.rope = rope(row);
  model.max_positions =
      longest_context(model.config_positions, model.rope, model.model_type.value_or(""));
  model.sliding_window = sliding_window(row);
  model.layer_pattern = word(row, "layer_pattern");
  if (!model.layers.known()) return;
  if (model.layer_pattern.known()) {
    model.layer_types = layer_types_of(model.layer_pattern.value(), model.layers.value());
  } else if (model.is_linear_hybrid() && model.full_interval.value_or(0) > 0) {
    model.layer_types =
        every_nth_full("linear_attention", model.full_interval.value(), model.layers.value());
  }
}

}  // namespace

ModelSpec model_from_row(const ModelRow& row, const std::string& asked) {
  ModelSpec model;
  model.from = ModelFrom::Catalogue;
  model.id = asked;
  model.architecture = word(row, "architecture");
  model.model_type = word(row, "model_type");
  model.dtype = word(row, "torch_dtype");
  model.generates = {model.model_type.value_or("") != "diffusion", Origin::Config};
  read_shape(model, row);
  read_experts(model, row);
  read_context(model, row);
  read_vision(model, row);
  model.quantisation = quantisation(row);
  model.needs_remote_code = Fact<bool>::unknown(kNoConfig);
  const auto billions = row.number("total_params_b");
  model.parameters_billion =
      billions ? Fact<double>(*billions, Origin::Config) : not_in_row<double>("total_params_b");
  const auto bytes = row.integer("checkpoint_bytes");
  model.checkpoint_bytes =
      bytes ? Fact<Bytes>(Bytes{*bytes}, Origin::Config) : not_in_row<Bytes>("checkpoint_bytes");
  for (const std::string_view sibling : quantised_siblings(row.id()))
    model.siblings.emplace_back(sibling);
  return model;
}

}  // namespace sx
