// Weights of a rank, tensor by tensor as the loaders fuse them, because rounding is done a tensor.
// The terms are those of "model loading took …" lines: shards, rope tables, allocator rounding,
// absorbed copies of latent attention, kernel padding.
#include "fit/weights_by_formula.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fit/latent_copies.h"
#include "fit/model_once.h"
#include "fit/number_formats.h"
#include "knowledge/model_classes.h"

namespace sx {

Allocator::Allocator()
    : large_(formula_constant("allocator-large-tensor") * 1024 * 1024),
      piece_(formula_constant("allocator-piece") * 1024 * 1024),
      kept_(formula_constant("allocator-rest-kept") * 1024 * 1024),
      small_(formula_constant("allocator-small-rounding")) {}

double Allocator::allocated(double bytes) const {
  if (bytes < large_) return std::ceil(bytes / small_) * small_;
  const double rest = std::ceil(bytes / piece_) * piece_ - bytes;
  return rest <= kept_ ? bytes + rest : bytes;
}

namespace {

constexpr double k16Bit = 2;

double real(std::int64_t size) { return static_cast<double>(size); }

// What the tensors of one layer take on a rank.
struct LayerBytes {
  const Allocator& allocator;
  WeightPart sum;

  void add(double size) { sum.bytes += allocator.allocated(size); }
  void add_replicated(double size) {
    const double bytes = allocator.allocated(size);
    sum.bytes += bytes;
    sum.replicated += bytes;
  }
};

// The sizes and formats of one question.
struct Terms {
  const Shape& shape;
  const WeightsAsk& ask;
  NumberFormats formats;
  WideLayers wide;
  double indexer_heads = 0, indexer_dim = 0, norms = 0;
  double scale = 1;  // of another dtype than 16 bit
  double latent_copies = 0;
  std::int64_t tensor = 1;
  std::int64_t attention = 1;     // ranks that split attention
  std::int64_t expert_ranks = 1;  // above 1: experts stay whole
  std::int64_t expert_parts = 1;  // that the width of an expert is cut into otherwise
};

void add_linear_attention(LayerBytes& sum, const Terms& t) {
  const Shape& s = t.shape;
  const double h = real(s.hidden);
  const std::int64_t keys = s.linear_key_heads / t.attention * s.linear_key_dim;
  const std::int64_t value_heads = s.linear_value_heads / t.attention;
  const std::int64_t values = value_heads * s.linear_value_dim;
  const double taps =
      s.linear_taps > 0 ? real(s.linear_taps) : formula_constant("linear-conv-default");
  sum.add(h * real(2 * keys + 2 * values) * t.formats.attention * t.scale);
  sum.add(k16Bit * h * 2 * real(value_heads));
  sum.add(k16Bit * taps * real(2 * keys + values));
  sum.add(real(values) * h * t.formats.attention * t.scale);
}

void add_latent_attention(LayerBytes& sum, const Terms& t) {
  const Shape& s = t.shape;
  const double h = real(s.hidden), c = real(s.kv_lora), r = real(s.qk_rope), q = real(s.q_lora);
  const double nope = real(s.qk_nope), v = real(s.v_head), heads = real(s.heads / t.attention);
  const double element = t.formats.attention * t.scale;
  sum.add_replicated(h * (c + r) * element);
  sum.add(c * heads * (nope + v) * element);
  sum.add(heads * v * h * element);
  if (s.q_lora > 0) {
    sum.add_replicated(h * q * element);
    sum.add(q * heads * (nope + r) * element);
  } else {
    sum.add(h * heads * (nope + r) * element);
  }
  if (t.ask.latent_products) {
    sum.add(t.latent_copies);
  } else {
    // 16-bit copies of both halves of the up-projection.
    sum.add(k16Bit * heads * c * nope);
    sum.add(k16Bit * heads * c * v);
  }
  if (t.indexer_heads == 0) return;
  sum.add_replicated((s.q_lora > 0 ? q : h) * t.indexer_heads * t.indexer_dim * element);
  sum.add_replicated(h * t.indexer_dim * element);
  sum.add_replicated(k16Bit * h * t.indexer_heads);
}

void add_attention(LayerBytes& sum, const Terms& t, std::int64_t layer, bool linear) {
  const Shape& s = t.shape;
  if (linear) return add_linear_attention(sum, t);
  if (s.is_mla()) return add_latent_attention(sum, t);
  const double h = real(s.hidden), heads = real(s.heads / t.attention);
  double kv = real(std::max<std::int64_t>(1, s.kv_heads / t.attention)), d = real(s.head_dim);
  if (t.wide.has(layer)) {
    // Keys serve as values there, so one rank holds one half of what its heads would need.
    kv = t.attention > 1 ? 1 : real(t.wide.kv_heads);
    d = real(t.wide.head_dim);
  }
  const double query = heads * d * (s.gated_query ? 2 : 1);
  sum.add(h * (query + 2 * kv * d) * t.formats.attention * t.scale);
  if (s.qkv_bias) sum.add(k16Bit * (query + 2 * kv * d));
  sum.add(heads * d * h * t.formats.attention * t.scale);
}

void add_dense_mlp(LayerBytes& sum, const Terms& t, double width_on_rank) {
  const double h = real(t.shape.hidden);
  sum.add(2 * h * width_on_rank * t.formats.dense * t.scale);
  sum.add(h * width_on_rank * t.formats.dense * t.scale);
}

void add_mlp(LayerBytes& sum, const Terms& t, std::int64_t layer) {
  const Shape& s = t.shape;
  if (!s.is_moe_layer(layer)) return add_dense_mlp(sum, t, real(s.width / t.tensor));
  const bool whole = t.expert_ranks > 1;
  const std::int64_t width = whole ? s.expert_width : s.expert_width / t.expert_parts;
  // The first ranks hold one expert more where they do not divide; memory is judged by those.
  const double experts = std::ceil(real(s.experts) / real(t.expert_ranks));
  const double padding = t.formats.padded_experts ? expert_padding(s, width, t.ask.capability) : 1;
  const double element = t.formats.expert * t.scale * padding;
  sum.add(experts * 2 * real(width) * real(s.hidden) * element);
  sum.add(experts * real(width) * real(s.hidden) * element);
  sum.add_replicated(k16Bit * real(s.experts) * real(s.hidden));
  if (s.shared_width > 0) add_dense_mlp(sum, t, real(s.shared_width) / real(t.tensor));
  if (t.wide.every > 0) add_dense_mlp(sum, t, real(s.width) / real(t.tensor));
}

std::int64_t known_or(const Fact<int>& fact, std::int64_t otherwise) {
  return fact.known() && fact.value() > 0 ? fact.value() : otherwise;
}

// A number of this kind of model that its config does not say; 0: there is none.
std::int64_t of_type(const char* what, const Shape& shape) {
  const auto found = optional_formula_constant(std::string(what) + shape.type);
  return found ? static_cast<std::int64_t>(*found) : 0;
}

double vision_bytes(const ModelSpec& model, const Shape& s, std::int64_t ranks) {
  const VisionTower& tower = model.vision;
  const std::int64_t depth = known_or(tower.layers, of_type("vision-layers:", s));
  const double width = real(known_or(tower.hidden_size, of_type("vision-hidden:", s)));
  if (depth == 0 || width == 0) return 0;
  const std::int64_t inner_or_0 =
      known_or(tower.intermediate_size, of_type("vision-intermediate:", s));
  const double inner =
      inner_or_0 > 0 ? real(inner_or_0) : formula_constant("picture-inner-factor") * width;
  const double matrices = class_truth(s.type, "vision_mlp_gated").value_or(false) ? 3 : 2;
  const double out = real(known_or(tower.out_hidden_size, s.hidden));
  const double blocks =
      k16Bit * real(depth) * (4 * width * width + matrices * width * inner) / real(ranks);
  if (class_truth(s.type, "vision_one_projection").value_or(false))
    return blocks + k16Bit * width * out;  // one projection, on every rank
  // Qwen's mergers join 2 x 2 patches and project them.
  const double merged = formula_constant("picture-patches-per-token") * width;
  return blocks + k16Bit * (merged * merged + merged * out) / real(ranks);
}

double table_bytes_of_vocabulary(const Terms& t, const Allocator& allocator) {
  const std::int64_t padding = std::max(1, t.ask.vocabulary_padding);
  std::int64_t entries = t.shape.vocabulary;
  if (entries == 0) entries = static_cast<std::int64_t>(formula_constant("vocabulary-assumed"));
  const std::int64_t rows = (entries + padding - 1) / padding * padding / t.tensor;
  return allocator.allocated(real(rows) * real(t.shape.hidden) * k16Bit * t.scale);
}

Terms terms_of(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask) {
  const std::int64_t tensor = std::max(1, ask.layout.tensor);
  const std::int64_t flat =
      tensor * std::max(1, ask.layout.data) * std::max(1, ask.layout.prefill_context);
  Terms t{.shape = shape,
          .ask = ask,
          .formats = number_formats(model, shape, ask.quantization_flag),
          .wide = wide_layers(shape),
          .norms = formula_constant("norms-per-layer"),
          .scale = ask.dtype_bytes / k16Bit,
          .tensor = tensor,
          .attention = ask.attention_ranks > 0 ? ask.attention_ranks : tensor,
          .expert_ranks = ask.layout.expert ? flat : 1,
          .expert_parts = ask.experts_over_data ? flat : tensor};
  t.indexer_heads = real(indexer_heads(shape.type));
  t.indexer_dim = formula_constant("sparse-indexer-head-dim");
  t.latent_copies = latent_copies(model, shape, ask);
  return t;
}

}  // namespace

double rope_table_bytes(const ModelSpec& model, const Shape& s) {
  double positions = model.config_positions.known()
                         ? real(std::max<std::int64_t>(0, model.config_positions.value()))
                         : real(std::max<std::int64_t>(0, s.positions));
  if (positions == 0) positions = formula_constant("rope-positions-assumed");
  double width = real(s.is_mla() ? s.qk_rope : s.head_dim);
  if (s.gated_query) width = std::floor(width * formula_constant("rope-partial-factor:qwen3_5"));
  const RopeScaling rope = model.rope.value_or({});
  const double factor = std::clamp(rope.factor.value_or(1), 0.0, 1e6);
  if (rope.type == "linear" && rope.factor)
    return k16Bit * width * positions * (1 + factor);  // local and stretched tables
  if (rope.type == "yarn" && rope.factor) {
    if (rope.original_positions)
      positions = std::floor(factor) * real(std::max<std::int64_t>(0, *rope.original_positions));
    return (s.is_mla() ? formula_constant("rope-yarn-mla-bytes") : k16Bit) * width * positions;
  }
  const auto sections = optional_formula_constant("rope-mrope:" + s.type);
  if (sections) positions *= *sections;
  const WideLayers wide = wide_layers(s);
  if (wide.every > 0) width += real(wide.head_dim);
  return k16Bit * width * positions;
}

// Part of the weights that may not be there: a quantised checkpoint whose bits nobody wrote down
// may hold its experts in half of what its method's name suggests.
double fewer_bits(const ModelSpec& model) {
  const bool unsaid =
      model.is_quantised() && !model.quantisation.value().bits.has_value() && model.is_moe();
  return unsaid ? formula_constant("weights-band:bits-unsaid") : 0;
}

namespace {

// Layers are of one kind where attention is of one kind, and experts and wide heads are there or
// not: which that is, layer by layer.
LayerPattern pattern_of(const ModelSpec& model, const Shape& shape, const WideLayers& wide) {
  constexpr std::size_t kNone = SIZE_MAX;
  std::array<std::size_t, 8> known{};
  known.fill(kNone);
  const std::vector<bool> linear = linear_layers(model, shape);
  LayerPattern pattern;
  pattern.kind_of.reserve(linear.size());
  for (std::size_t i = 0; i < linear.size(); ++i) {
    const auto layer = static_cast<std::int64_t>(i);
    std::size_t& kind = known.at((linear[i] ? 4U : 0U) + (shape.is_moe_layer(layer) ? 2U : 0U) +
                                 (wide.has(layer) ? 1U : 0U));
    if (kind == kNone) {
      kind = pattern.first.size();
      pattern.first.push_back({.layer = layer, .linear = linear[i]});
    }
    pattern.kind_of.push_back(kind);
  }
  return pattern;
}

const LayerPattern& pattern_once(const ModelSpec& model, const Terms& terms, LayerPattern& own) {
  ModelOnce* once = ModelOnce::of(model);
  if (once != nullptr && once->pattern) return *once->pattern;
  own = pattern_of(model, terms.shape, terms.wide);
  if (once != nullptr) once->pattern = own;
  return own;
}

WeightPart layer_bytes(const Terms& terms, const Allocator& allocator,
                       const LayerPattern::Layer& one) {
  LayerBytes bytes{.allocator = allocator, .sum = {}};
  add_attention(bytes, terms, one.layer, one.linear);
  add_mlp(bytes, terms, one.layer);
  bytes.add_replicated(k16Bit * terms.norms * real(terms.shape.hidden));
  return bytes.sum;
}

}  // namespace

WeightParts parts_by_formula(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask) {
  const Terms t = terms_of(model, shape, ask);
  const Allocator allocator;
  const double table = table_bytes_of_vocabulary(t, allocator);
  const std::int64_t vision_ranks = ask.whole_vision_tower ? 1 : t.tensor;
  const double vision = ask.without_vision ? 0 : vision_bytes(model, shape, vision_ranks);
  const bool sure = t.formats.sure && vision == 0 && !shape.width_guessed && shape.vocabulary > 0;
  const double band = formula_constant(sure ? "weights-band:formula" : "weights-band:wide");

  WeightParts parts{.origin = Origin::Formula, .format = t.formats.name, .ranks = t.tensor};
  LayerPattern own;
  const LayerPattern& pattern = pattern_once(model, t, own);
  parts.layers = pattern.kind_of;
  for (const LayerPattern::Layer& one : pattern.first)
    parts.kinds.push_back(layer_bytes(t, allocator, one));
  parts.first.bytes = table + vision;
  (shape.tied ? parts.second_table : parts.last.bytes) = table;
  parts.each = rope_table_bytes(model, shape) * t.scale;
  parts.below = std::max(band, fewer_bits(model));
  parts.above = band;
  return parts;
}

}  // namespace sx
