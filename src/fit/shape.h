// A model's sizes as plain numbers, with the defaults that engines assume, for arithmetic. Facts
// stay in ModelSpec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/model_spec.h"

namespace sx {

// Every member lies in a range in which products of four of them stay finite doubles; counts fit in
// 32 bits.
struct Shape {
  std::int64_t layers = 0, hidden = 0, width = 0, heads = 1, kv_heads = 1, head_dim = 0,
               vocabulary = 0;
  std::int64_t experts = 0, experts_per_token = 0, expert_width = 0, shared_width = 0,
               dense_layers_first = 0;
  std::int64_t expert_interval = 1;  // every so many layers one has experts
  std::int64_t q_lora = 0, kv_lora = 0, qk_nope = 0, qk_rope = 0, v_head = 0;
  std::int64_t linear_key_heads = 0, linear_value_heads = 0, linear_key_dim = 0,
               linear_value_dim = 0, linear_taps = 0;
  std::int64_t positions = 0;
  bool tied = false, gated_query = false, qkv_bias = false;
  bool width_guessed = false;  // the MLP width is not known: an engine-like guess stands in
  std::string type;            // model_type

  bool is_mla() const { return kv_lora > 0; }
  bool is_hybrid() const { return linear_value_heads > 0; }
  bool is_moe_layer(std::int64_t layer) const {
    return experts > 0 && layer >= dense_layers_first && (layer + 1) % expert_interval == 0;
  }
};

// Families whose layers differ from one another in ways that no formula here describes (state-space
// layers, layers of experts alone, widths of their own): one Shape would be several times too
// large.
bool layers_unlike(std::string_view model_type);

// Empty when layers, hidden size or heads are unknown, no model has such sizes, layers are unlike
// one another, or the config says a part of them (experts, latent or linear attention) without
// sense: it would weigh nothing.
std::optional<Shape> shape_of(const ModelSpec& model);

// Every n-th layer of Gemma 4 attends to everything with wider heads, of which there are fewer.
struct WideLayers {
  std::int64_t every = 0;  // 0: the model has none
  std::int64_t head_dim = 0;
  std::int64_t kv_heads = 0;
  bool has(std::int64_t layer) const { return every > 0 && (layer + 1) % every == 0; }
};
WideLayers wide_layers(const Shape& shape);

// Heads of the sparse-attention indexer (DeepSeek sparse attention); 0: the model has none.
std::int64_t indexer_heads(std::string_view model_type);

// A number that formulas of every engine need, from the table that has it; asking for one that is
// not there is a bug of ours.
double formula_constant(std::string_view name);
std::optional<double> optional_formula_constant(std::string_view name);

// For each layer whether it is linear attention, by the config's list of layer types or by the
// interval of full ones.
std::vector<bool> linear_layers(const ModelSpec& model, const Shape& shape);

// Whole bytes of a sum; sizes of no real model end at the largest that arithmetic on Bytes can
// still add up.
Bytes whole_bytes(double bytes);

}  // namespace sx
