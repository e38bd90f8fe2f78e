// From facts to plain sizes.
#include "fit/shape.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>

#include "base/check.h"
#include "fit/model_once.h"
#include "knowledge/constants.h"
#include "knowledge/model_classes.h"
#include "knowledge/paired_name.h"

namespace sx {
namespace {

// Larger than any model; keeps loops over layers and products bounded when a config is hostile.
constexpr std::int64_t kMostLayers = 10'000;
constexpr std::int64_t kLargestSize = 100'000'000;
// Sums of a few hundred of these still fit in 64 bits.
constexpr double kMostBytes = 1e16;

std::int64_t size_of(const Fact<int>& fact, std::int64_t otherwise) {
  if (!fact.known() || fact.value() < 0) return otherwise;
  return fact.value();
}

bool makes_sense(const Shape& s) {
  if (s.layers < 1 || s.layers > kMostLayers) return false;
  for (const std::int64_t size : {s.hidden, s.heads, s.kv_heads, s.head_dim}) {
    if (size < 1 || size > kLargestSize) return false;
  }
  for (const std::int64_t size :
       {s.width, s.vocabulary, s.experts, s.expert_width, s.shared_width, s.q_lora, s.kv_lora,
        s.qk_nope, s.qk_rope, s.v_head, s.linear_key_heads, s.linear_value_heads, s.linear_key_dim,
        s.linear_value_dim, s.linear_taps}) {
    if (size > kLargestSize) return false;
  }
  return true;
}

void fill_experts(Shape& s, const ModelSpec& model) {
  s.experts = size_of(model.experts, 0);
  s.experts_per_token = size_of(model.experts_per_token, 0);
  s.expert_width = size_of(model.expert_width, 0);
  s.shared_width = size_of(model.shared_expert_width, 0);
  if (s.shared_width == 0 && class_truth(s.type, "shared_expert_as_wide").value_or(false))
    s.shared_width = s.expert_width;
  s.dense_layers_first = size_of(model.dense_layers_first, 0);
  s.expert_interval = std::max<std::int64_t>(1, size_of(model.expert_interval, 1));
}

void fill_attention(Shape& s, const ModelSpec& model) {
  s.q_lora = size_of(model.q_lora, 0);
  s.kv_lora = size_of(model.kv_lora, 0);
  s.qk_nope = size_of(model.qk_nope_dim, 0);
  s.qk_rope = size_of(model.qk_rope_dim, 0);
  s.v_head = size_of(model.v_head_dim, 0);
  s.linear_key_heads = size_of(model.linear_key_heads, 0);
  s.linear_value_heads = size_of(model.linear_value_heads, 0);
  s.linear_key_dim = size_of(model.linear_key_dim, 0);
  s.linear_value_dim = size_of(model.linear_value_dim, 0);
  s.linear_taps = size_of(model.linear_conv, 0);
}

// Said, and of no sense.
bool is_senseless(const Fact<int>& size) { return !size.known() && !size.why_unknown().empty(); }

// Without these a part that is there would weigh nothing.
bool is_lacking(const Fact<int>& size) {
  return size.known() ? size.value() < 1 : is_senseless(size);
}

// Whether it is known which parts its layers have, and how large those are.
bool parts_are_known(const ModelSpec& model) {
  using Sizes = std::initializer_list<std::reference_wrapper<const Fact<int>>>;
  const auto any = [](Sizes sizes, bool (*is)(const Fact<int>&)) {
    return std::ranges::any_of(sizes, is);
  };
  if (any({model.experts, model.kv_lora, model.linear_value_heads}, is_senseless)) return false;
  if (model.is_moe() && is_lacking(model.expert_width)) return false;
  const bool latent = is_senseless(model.q_lora) ||
                      any({model.qk_nope_dim, model.qk_rope_dim, model.v_head_dim}, is_lacking);
  if (model.is_mla() && latent) return false;
  return !model.is_linear_hybrid() ||
         !any({model.linear_key_heads, model.linear_key_dim, model.linear_value_dim}, is_lacking);
}

// The width that makes a dense model of so many parameters, where a card says how many; else what
// engines take.
std::int64_t guessed_width(const Shape& s, const ModelSpec& model) {
  if (s.expert_width > 0) return s.expert_width;
  const std::int64_t usual = 4 * s.hidden;
  if (!model.parameters_billion.known() || s.is_hybrid() || s.is_mla() || s.vocabulary == 0)
    return usual;
  const auto h = static_cast<double>(s.hidden), layers = static_cast<double>(s.layers);
  const double attention =
      h * static_cast<double>(s.head_dim) * 2 * static_cast<double>(s.heads + s.kv_heads);
  const double tables = h * static_cast<double>(s.vocabulary) * (s.tied ? 1 : 2);
  const double left = model.parameters_billion.value() * 1e9 - tables - layers * attention;
  const double width = left / (3 * h * layers);
  return width > h / 2 && width < 16 * h ? static_cast<std::int64_t>(width) : usual;
}

}  // namespace

bool layers_unlike(std::string_view model_type) {
  return class_truth(model_type, "layers_unlike").value_or(false);
}

namespace {

std::optional<Shape> shape_by_facts(const ModelSpec& model) {
  if (!model.layers.known() || !model.hidden_size.known() || !model.heads.known()) return {};
  Shape s;
  s.type = model.model_type.value_or("");
  if (layers_unlike(s.type) || !parts_are_known(model)) return {};
  s.layers = model.layers.value();
  s.hidden = model.hidden_size.value();
  s.heads = model.heads.value();
  if (s.heads < 1) return {};
  s.kv_heads = size_of(model.kv_heads, s.heads);
  if (s.kv_heads == 0) s.kv_heads = s.heads;
  s.head_dim = size_of(model.head_dim, 0);
  if (s.head_dim == 0) s.head_dim = s.hidden / s.heads;
  fill_experts(s, model);
  fill_attention(s, model);
  s.width = size_of(model.intermediate_size, 0);
  s.vocabulary = size_of(model.vocab_size, 0);
  s.positions = model.max_positions.known() ? model.max_positions.value().count() : 0;
  s.tied = model.tied_embeddings.value_or(false);
  s.gated_query = model.gated_query.value_or(false);
  s.qkv_bias = model.qkv_bias.value_or(false);
  s.width_guessed = s.width == 0 && (s.experts == 0 || s.dense_layers_first > 0);
  if (s.width == 0) s.width = guessed_width(s, model);
  if (!makes_sense(s)) return {};
  return s;
}

}  // namespace

std::optional<Shape> shape_of(const ModelSpec& model) {
  ModelOnce* once = ModelOnce::of(model);
  if (once == nullptr) return shape_by_facts(model);
  if (!once->shape) once->shape = shape_by_facts(model);
  return *once->shape;
}

WideLayers wide_layers(const Shape& shape) {
  const auto every = class_count(shape.type, "wide_layers_every");
  const auto head_dim = class_count(shape.type, "wide_head_dim");
  const auto kv_heads = class_count(shape.type, "wide_key_value_heads");
  if (!every || !head_dim || !kv_heads) return {};
  return {.every = *every, .head_dim = *head_dim, .kv_heads = *kv_heads};
}

std::int64_t indexer_heads(std::string_view model_type) {
  return static_cast<std::int64_t>(
      optional_formula_constant(PairedName("sparse-indexer-heads:", model_type).view())
          .value_or(0));
}

double formula_constant(std::string_view name) {
  const Constant* row = find_constant("vllm", name, Version{});
  SX_ASSERT(row != nullptr);
  return row->value;
}

std::optional<double> optional_formula_constant(std::string_view name) {
  const Constant* row = find_constant("vllm", name, Version{});
  return row == nullptr ? std::nullopt : std::optional(row->value);
}

std::vector<bool> linear_layers(const ModelSpec& model, const Shape& shape) {
  std::vector<bool> linear(static_cast<std::size_t>(shape.layers), false);
  if (!shape.is_hybrid()) return linear;
  const bool listed = model.layer_types.size() == linear.size();
  const int every = model.full_interval.known() && model.full_interval.value() > 0
                        ? model.full_interval.value()
                        : 1;
  for (std::size_t layer = 0; layer < linear.size(); ++layer) {
    linear[layer] = listed ? model.layer_types[layer].find("linear") != std::string::npos
                           : (layer + 1) % static_cast<std::size_t>(every) != 0;
  }
  return linear;
}

Bytes whole_bytes(double bytes) {
  if (!(bytes > 0)) return Bytes{0};
  return Bytes{static_cast<std::int64_t>(std::min(std::floor(bytes), kMostBytes))};
}

}  // namespace sx
