// A case for budget tests: a model of the catalogue on so many equal cards, with nothing read from
// outside.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "facts/case.h"
#include "knowledge/gpus.h"
#include "knowledge/models.h"

namespace sx::test {

inline void set(Fact<int>& fact, const ModelRow& row, std::string_view column) {
  if (const auto value = row.integer(column)) fact = {static_cast<int>(*value), Origin::Config};
}

inline void set_flag_of(Fact<bool>& fact, const ModelRow& row, std::string_view column) {
  if (const auto value = row.text(column)) fact = {*value == "true", Origin::Config};
}

inline void set_rope(ModelSpec& model, const ModelRow& row) {
  const auto text = row.text("rope_scaling");
  if (!text) return;
  RopeScaling rope;
  rope.type = text->find("mrope") != std::string_view::npos
                  ? "mrope"
                  : std::string(split(*text, ';').front());
  for (const std::string_view part : split(*text, ';')) {
    if (part.starts_with("factor=")) rope.factor = to_number(part.substr(7));
    if (part.starts_with("orig=")) rope.original_positions = to_integer(part.substr(5));
  }
  model.rope = {rope, Origin::Config};
}

inline void set_quantisation(ModelSpec& model, const ModelRow& row) {
  Quantisation quantisation;
  if (const auto method = row.text("quant_method")) {
    const auto parts = split(*method, ':');
    quantisation.method = std::string(parts.front());
    if (parts.size() > 1) quantisation.format = std::string(parts[1]);
  }
  quantisation.bits = row.number("quant_bits");
  if (const auto group = row.integer("quant_group_size"))
    quantisation.group_size = static_cast<int>(*group);
  if (const auto block = row.text("quant_weight_block");
      block && block->find('x') != std::string_view::npos) {
    const auto sides = split(*block, 'x');
    quantisation.block_rows = static_cast<int>(to_integer(sides[0]).value_or(0));
    quantisation.block_columns = static_cast<int>(to_integer(sides[1]).value_or(0));
  }
  if (row.text("notes").value_or("").find("kv_cache_quant_algo=FP8") != std::string_view::npos)
    quantisation.kv_fp8 = true;
  model.quantisation = {quantisation, Origin::Config};
}

inline ModelSpec catalogue_model(std::string_view id) {
  const auto match = match_model(id);
  if (!match.row) return {};
  const ModelRow& row = *match.row;
  ModelSpec m;
  m.from = ModelFrom::Catalogue;
  m.id = std::string(id);
  if (const auto type = row.text("model_type")) m.model_type = {std::string(*type), Origin::Config};
  if (const auto name = row.text("architecture"))
    m.architecture = {std::string(*name), Origin::Config};
  set(m.layers, row, "num_hidden_layers");
  set(m.hidden_size, row, "hidden_size");
  set(m.intermediate_size, row, "intermediate_size");
  set(m.heads, row, "num_attention_heads");
  set(m.kv_heads, row, "num_key_value_heads");
  set(m.head_dim, row, "head_dim");
  set(m.vocab_size, row, "vocab_size");
  set(m.experts, row, "n_experts");
  set(m.experts_per_token, row, "experts_per_tok");
  set(m.expert_width, row, "moe_intermediate_size");
  set(m.shared_expert_width, row, "shared_expert_intermediate_size");
  if (const auto shared = row.integer("n_shared_experts");
      shared && !m.shared_expert_width.known() && m.expert_width.known()) {
    m.shared_expert_width = {static_cast<int>(*shared) * m.expert_width.value(), Origin::Config};
  }
  set(m.dense_layers_first, row, "first_k_dense");
  set(m.q_lora, row, "q_lora_rank");
  set(m.kv_lora, row, "kv_lora_rank");
  set(m.qk_nope_dim, row, "qk_nope_head_dim");
  set(m.qk_rope_dim, row, "qk_rope_head_dim");
  set(m.v_head_dim, row, "v_head_dim");
  set(m.linear_key_heads, row, "linear_num_key_heads");
  set(m.linear_value_heads, row, "linear_num_value_heads");
  set(m.linear_key_dim, row, "linear_key_head_dim");
  set(m.linear_value_dim, row, "linear_value_head_dim");
  set(m.linear_conv, row, "linear_conv_kernel");
  set(m.full_interval, row, "full_attention_interval");
  set(m.vision.layers, row, "vision_depth");
  set(m.vision.hidden_size, row, "vision_hidden");
  set(m.vision.intermediate_size, row, "vision_intermediate");
  set(m.vision.heads, row, "vision_heads");
  set(m.vision.patch_size, row, "vision_patch");
  set(m.vision.out_hidden_size, row, "vision_out_hidden");
  set_flag_of(m.tied_embeddings, row, "tie_word_embeddings");
  set_flag_of(m.qkv_bias, row, "qkv_bias");
  if (const auto positions = row.integer("max_position_embeddings")) {
    m.max_positions = {Tokens{*positions}, Origin::Config};
    m.config_positions = {*positions, Origin::Config};
  }
  if (const auto window = row.integer("sliding_window"))
    m.sliding_window = {Tokens{*window}, Origin::Config};
  if (const auto pattern = row.text("layer_pattern"))
    m.layer_pattern = {std::string(*pattern), Origin::Config};
  const std::string type = m.model_type.value_or("");
  m.gated_query = {type.starts_with("qwen3_5") || type.starts_with("qwen3_next"), Origin::Config};
  set_rope(m, row);
  set_quantisation(m, row);
  return m;
}

// As a machine named on the command line: links are not known.
inline HostSpec equal_cards(std::string_view name, int count) {
  HostSpec host;
  const GpuMatch match = match_gpu(name);
  if (match.kind == nullptr) return host;
  host.gpu_count = {count, Origin::Assumed};
  for (int index = 0; index < count; ++index) {
    Gpu gpu;
    gpu.index = index;
    gpu.name = {std::string(match.kind->name), Origin::Assumed};
    if (match.kind->memory) {
      const Bytes held = match.kind->held_back.value_or(gib(1) / 2);
      gpu.memory = {*match.kind->memory, Origin::Assumed};
      gpu.usable = gpu.usable_low = gpu.usable_high = {*match.kind->memory - held, Origin::Assumed};
    }
    if (match.kind->capability) gpu.capability = {*match.kind->capability, Origin::Assumed};
    if (match.kind->multiprocessors)
      gpu.multiprocessors = {*match.kind->multiprocessors, Origin::Assumed};
    // Boards whose links are part of them; the others have bridges at most.
    const bool board = match.kind->nvlink_gb_per_second.value_or(0) >= 900 ||
                       name.find("SXM") != std::string_view::npos;
    gpu.nvlink = {board, Origin::Assumed};
    host.gpus.push_back(std::move(gpu));
  }
  return host;
}

// Owns what a Case only points to.
struct Launch {
  std::unique_ptr<ModelSpec> model;
  std::unique_ptr<HostSpec> host;
  std::unique_ptr<Sources> sources = std::make_unique<Sources>();
  Case c;
};

inline Launch launch(ModelSpec model, HostSpec host, std::string_view version) {
  Launch l;
  l.model = std::make_unique<ModelSpec>(std::move(model));
  l.host = std::make_unique<HostSpec>(std::move(host));
  l.c.sources = l.sources.get();
  l.c.model_spec = l.model.get();
  l.c.host_spec = l.host.get();
  l.c.serve.engine = "vllm";
  l.c.serve.version = parse_version(version).value_or(Version{});
  l.c.visible.known = true;
  for (const Gpu& gpu : l.host->gpus) l.c.visible.gpus.push_back(gpu.index);
  return l;
}

inline Launch launch(std::string_view model, std::string_view card, int cards,
                     std::string_view version) {
  return launch(catalogue_model(model), equal_cards(card, cards), version);
}

}  // namespace sx::test
