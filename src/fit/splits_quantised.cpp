// Slices of quantised matrices: groups along the input (AWQ, GPTQ, compressed-tensors), tiles of
// the Marlin kernels, blocks of block FP8. As vLLM's linear layers and its fused experts check them
// when they make their weights.
#include "fit/splits_quantised.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "fit/shape.h"
#include "knowledge/model_classes.h"

namespace sx {
namespace {

constexpr int kWordBits = 32;  // packed weights: eight 4-bit values a word

std::int64_t size_of(const Fact<int>& fact) {
  return fact.known() && fact.value() > 0 ? fact.value() : 0;
}

// A matrix side that is cut: `size` over `parts`.
struct Cut {
  std::int64_t size = 0;
  std::int64_t parts = 1;
  const char* tensor = "";

  bool whole() const { return size > 0 && parts > 0 && size % parts == 0; }
  std::int64_t slice() const { return size / parts; }
};

void must_be_multiple(std::vector<SplitProblem>& out, SplitKind kind, const Cut& cut,
                      std::int64_t unit) {
  if (unit <= 1 || cut.parts <= 1 || !cut.whole() || cut.slice() % unit == 0) return;
  out.push_back({.kind = kind,
                 .size = cut.slice(),
                 .parts = cut.parts,
                 .left = cut.slice() % unit,
                 .unit = unit,
                 .tensor = cut.tensor});
}

std::int64_t head_dim(const ModelSpec& model) {
  if (size_of(model.head_dim) > 0) return size_of(model.head_dim);
  return size_of(model.heads) > 0 ? size_of(model.hidden_size) / size_of(model.heads) : 0;
}

// The catalogue does not know what a checkpoint leaves in 16 bit, and shared experts often are:
// only a config tells.
bool quantises_shared_expert(const ModelSpec& model, const Quantisation& quantisation) {
  return model.is_moe() && model.from != ModelFrom::Catalogue &&
         !keeps_in_16_bit(quantisation, "shared_expert");
}

// Inputs of the row-parallel matrices.
std::vector<Cut> inputs(const ModelSpec& model, const SplitAsk& ask,
                        const Quantisation& quantisation) {
  const std::int64_t tensor = ask.layout.tensor;
  std::vector<Cut> cuts;
  if (!keeps_in_16_bit(quantisation, "attn")) {
    const std::int64_t width = model.is_mla() ? size_of(model.v_head_dim) : head_dim(model);
    cuts.push_back({size_of(model.heads) * width, ask.attention_parts(), "o_proj input"});
  }
  if (has_dense_mlp(model) && !keeps_in_16_bit(quantisation, "mlp")) {
    cuts.push_back({size_of(model.intermediate_size), tensor, "down_proj input"});
  }
  if (quantises_shared_expert(model, quantisation)) {
    cuts.push_back({size_of(model.shared_expert_width), ask.shared_expert_parts(),
                    "shared expert down_proj input"});
  }
  return cuts;
}

// Outputs of the fused query, key and value matrix on one rank, one for each part.
std::vector<Cut> query_parts(const ModelSpec& model, const SplitAsk& ask) {
  if (class_truth(model.model_type.value_or(""), "query_parts_by_loader").value_or(false))
    return {};
  const std::int64_t tensor = ask.attention_parts();
  const std::int64_t query =
      size_of(model.heads) * head_dim(model) * (model.gated_query.value_or(false) ? 2 : 1);
  const std::int64_t kv_heads = size_of(model.kv_heads);
  // A rank holds at least one KV head.
  const std::int64_t kv = kv_heads > tensor ? kv_heads * head_dim(model) : tensor * head_dim(model);
  std::vector<Cut> cuts{{query, tensor, "q_proj output"}};
  if (kv_heads > 0) cuts.push_back({kv, tensor, "k_proj and v_proj output"});
  return cuts;
}

std::vector<Cut> outputs(const ModelSpec& model, const SplitAsk& ask,
                         const Quantisation& quantisation) {
  const std::int64_t tensor = ask.layout.tensor;
  std::vector<Cut> cuts;
  if (!keeps_in_16_bit(quantisation, "attn")) {
    if (model.is_mla()) {
      cuts.push_back(
          {size_of(model.heads) * (size_of(model.qk_nope_dim) + size_of(model.qk_rope_dim)),
           ask.attention_parts(), "q_b_proj output"});
      cuts.push_back(
          {size_of(model.heads) * (size_of(model.qk_nope_dim) + size_of(model.v_head_dim)),
           ask.attention_parts(), "kv_b_proj output"});
    } else {
      cuts = query_parts(model, ask);
    }
  }
  if (has_dense_mlp(model) && !keeps_in_16_bit(quantisation, "mlp")) {
    cuts.push_back({size_of(model.intermediate_size), tensor, "gate_up output"});
  }
  if (quantises_shared_expert(model, quantisation)) {
    cuts.push_back({size_of(model.shared_expert_width), ask.shared_expert_parts(),
                    "shared expert gate_up output"});
  }
  return cuts;
}

bool is_awq_or_gptq(const std::string& method) {
  return method.starts_with("awq") || method.starts_with("gptq") || method == "auto-round";
}

// Elements of an input that share a scale; 0: not grouped. Rows of the catalogue may not say; the
// tools' default stands in.
std::int64_t group_of(const Quantisation& quantisation) {
  const bool tools = is_awq_or_gptq(quantisation.method);
  const bool integers = tools || quantisation.method == "compressed-tensors";
  if (!integers || quantisation.block_rows.has_value()) return 0;
  if (quantisation.group_size.has_value()) return std::max(0, *quantisation.group_size);
  return tools ? static_cast<std::int64_t>(formula_constant("quant-group-assumed")) : 0;
}

void grouped_slices(std::vector<SplitProblem>& out, const ModelSpec& model, const SplitAsk& ask,
                    const Quantisation& quantisation, std::int64_t group) {
  const auto tile_inputs = static_cast<std::int64_t>(formula_constant("marlin-tile-inputs"));
  const auto tile_outputs = static_cast<std::int64_t>(formula_constant("marlin-tile-outputs"));
  for (const Cut& cut : inputs(model, ask, quantisation)) {
    must_be_multiple(out, SplitKind::QuantGroup, cut, group);
    // A slice that cuts a group is refused before the kernel's tile is looked at.
    const bool grouped = cut.whole() && cut.slice() % group == 0;
    if (ask.marlin && grouped) must_be_multiple(out, SplitKind::MarlinTile, cut, tile_inputs);
  }
  const auto packed =
      static_cast<std::int64_t>(kWordBits / std::clamp(quantisation.bits.value_or(4.0), 1.0, 32.0));
  for (Cut cut : outputs(model, ask, quantisation)) {
    must_be_multiple(out, SplitKind::MarlinTile, cut, packed);
    // Gate and up are one matrix for the kernel, and so are query, key and value, whose parts are
    // whole heads.
    cut.size *= 2;
    if (ask.marlin) must_be_multiple(out, SplitKind::MarlinTile, cut, tile_outputs);
  }
}

void expert_blocks(std::vector<SplitProblem>& out, const ModelSpec& model, const SplitAsk& ask,
                   const Quantisation& quantisation) {
  if (!model.is_moe() || ask.layout.expert) return;
  const Cut cut{size_of(model.expert_width), expert_parts(ask), "expert gate_up output"};
  if (!cut.whole()) return;
  const std::int64_t block = std::max(
      *quantisation.block_rows, quantisation.block_columns.value_or(*quantisation.block_rows));
  const bool may_shrink =
      ask.smallest_expert_block > 0 && quantisation.method != "compressed-tensors";
  if (may_shrink && std::gcd(block, cut.slice()) >= ask.smallest_expert_block) return;
  must_be_multiple(out, SplitKind::Fp8Block, cut, block);
}

void blocks(std::vector<SplitProblem>& out, const ModelSpec& model, const SplitAsk& ask,
            const Quantisation& quantisation) {
  for (const Cut& cut : outputs(model, ask, quantisation)) {
    must_be_multiple(out, SplitKind::Fp8Block, cut, *quantisation.block_rows);
  }
  for (const Cut& cut : inputs(model, ask, quantisation)) {
    must_be_multiple(out, SplitKind::Fp8Block, cut,
                     quantisation.block_columns.value_or(*quantisation.block_rows));
  }
  expert_blocks(out, model, ask, quantisation);
}

}  // namespace

bool has_dense_mlp(const ModelSpec& model) {
  if (!model.is_moe() || size_of(model.dense_layers_first) > 0 ||
      size_of(model.expert_interval) > 1)
    return true;
  return class_truth(model.model_type.value_or(""), "dense_beside_experts").value_or(false);
}

std::int64_t expert_parts(const SplitAsk& ask) {
  const std::int64_t tensor = ask.layout.tensor;
  if (ask.expert_split > 0) return std::max<std::int64_t>(1, tensor / ask.expert_split);
  if (ask.expert_group == ExpertGroup::Tensor) return tensor;
  const std::int64_t flat = tensor * ask.layout.data * ask.layout.prefill_context;
  return ask.expert_group == ExpertGroup::World ? flat * ask.layout.pipeline : flat;
}

bool keeps_in_16_bit(const Quantisation& quantisation, std::string_view module) {
  return std::ranges::any_of(quantisation.kept, [module](const std::string& kept) {
    const auto has = [&kept](std::string_view word) {
      return kept.find(word) != std::string::npos;
    };
    // Names of single layers say nothing of the others; patterns and bare names do.
    const bool one_layer = has("layers.") && kept.find_first_of("*(") == std::string::npos;
    if (one_layer || !has(module) || has("visual") || has("vision")) return false;
    // "mlp.gate" keeps the router and "mlp.experts" the experts, not the MLP itself.
    return module != "mlp" || (!has("gate") && !has("expert"));
  });
}

void quantised_slices(std::vector<SplitProblem>& out, const ModelSpec& model, const SplitAsk& ask) {
  if (!model.is_quantised()) return;
  const Quantisation& quantisation = model.quantisation.value();
  if (const auto group = group_of(quantisation); group > 0)
    return grouped_slices(out, model, ask, quantisation, group);
  const bool fp8_blocks = quantisation.block_rows.value_or(0) > 0;
  if (fp8_blocks) blocks(out, model, ask, quantisation);
}

}  // namespace sx
