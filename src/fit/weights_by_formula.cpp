// Weights of a rank, tensor by tensor as the loaders fuse them, because rounding is done a tensor.
// The terms are those of "model loading took …" lines: shards, rope tables, allocator rounding,
// absorbed copies of latent attention, kernel padding.
#include "fit/weights_by_formula.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

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

constexpr Text kLayers{"layers: {layers}", "层数：{layers}"};
constexpr Text kEmbedding{"embedding", "词嵌入"};
constexpr Text kHead{"output head", "输出层"};
constexpr Text kFormat{"{format}", "{format}"};
constexpr Text kOneRank{"one of {ranks} ranks", "{ranks} 个 rank 之一"};

double real(std::int64_t size) { return static_cast<double>(size); }

// What the tensors of one layer take on a rank, in the order of the layer.
struct LayerBytes {
  struct Tensor {
    double bytes;
    bool replicated;
  };
  const Allocator& allocator;
  std::vector<Tensor> tensors;

  void add(double size) { tensors.push_back({allocator.allocated(size), false}); }
  void add_replicated(double size) { tensors.push_back({allocator.allocated(size), true}); }
};

// Bytes of a rank, replicated parts counted apart.
struct Sum {
  double bytes = 0;
  double replicated = 0;

  void add(const LayerBytes& layer) {
    for (const auto& tensor : layer.tensors) {
      bytes += tensor.bytes;
      if (tensor.replicated) replicated += tensor.bytes;
    }
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
  // The engine keeps 16-bit copies of both halves of the up-projection, absorbed into query and
  // output.
  sum.add(k16Bit * heads * c * nope);
  sum.add(k16Bit * heads * c * v);
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

std::vector<Message> notes_of(const Terms& t, int layers, bool first, bool last) {
  std::vector<Message> notes{Message{kLayers, {{"layers", layers}}}};
  if (first) notes.emplace_back(kEmbedding);
  if (last) notes.emplace_back(kHead);
  notes.push_back({kFormat, {{"format", t.formats.name}}});
  if (t.tensor > 1) notes.push_back({kOneRank, {{"ranks", t.tensor}}});
  return notes;
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

// Layers of one kind are alike: the sizes of each kind are worked out once.
class Layers {
 public:
  Layers(const Terms& terms, const Allocator& allocator, const std::vector<bool>& linear)
      : terms_(terms), allocator_(allocator), linear_(linear) {
    kind_of_.reserve(linear.size());
    for (std::size_t i = 0; i < linear.size(); ++i) {
      const auto layer = static_cast<std::int64_t>(i);
      kind_of_.push_back((linear[i] ? 4U : 0U) + (terms_.shape.is_moe_layer(layer) ? 2U : 0U) +
                         (terms_.wide.has(layer) ? 1U : 0U));
    }
  }

  const LayerBytes& of(std::size_t layer) {
    auto& known = kinds_.at(kind_of_[layer]);
    if (!known) {
      const auto number = static_cast<std::int64_t>(layer);
      known.emplace(LayerBytes{.allocator = allocator_, .tensors = {}});
      add_attention(*known, terms_, number, linear_[layer]);
      add_mlp(*known, terms_, number);
      known->add_replicated(k16Bit * terms_.norms * real(terms_.shape.hidden));
    }
    return *known;
  }

  // Whether so many layers before `end` are the same again as those before them.
  bool repeat_before(std::size_t end, std::size_t count) const {
    if (end > kind_of_.size() || 2 * count > end) return false;
    const auto last = kind_of_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto by = static_cast<std::ptrdiff_t>(count);
    return std::equal(last - by, last, last - 2 * by);
  }

 private:
  const Terms& terms_;
  const Allocator& allocator_;
  const std::vector<bool>& linear_;
  std::vector<unsigned> kind_of_;
  std::array<std::optional<LayerBytes>, 8> kinds_;
};

}  // namespace

std::vector<RankWeights> weights_by_formula(const ModelSpec& model, const Shape& shape,
                                            const WeightsAsk& ask) {
  const Terms t = terms_of(model, shape, ask);
  const Allocator allocator;
  const double table = table_bytes_of_vocabulary(t, allocator);
  const double rope = rope_table_bytes(model, shape) * t.scale;
  const std::int64_t vision_ranks = ask.whole_vision_tower ? 1 : t.tensor;
  const double vision = ask.without_vision ? 0 : vision_bytes(model, shape, vision_ranks);
  const bool sure = t.formats.sure && vision == 0 && !shape.width_guessed && shape.vocabulary > 0;
  const double band = formula_constant(sure ? "weights-band:formula" : "weights-band:wide");
  const std::vector<bool> linear = linear_layers(model, shape);

  const double fewer = std::max(band, fewer_bits(model));

  Layers layers(t, allocator, linear);
  std::vector<RankWeights> stages;
  const auto all = static_cast<std::size_t>(shape.layers);
  std::size_t layer = 0;
  for (std::size_t stage = 0; stage < ask.stage_layers.size(); ++stage) {
    const bool first = stage == 0, last = stage + 1 == ask.stage_layers.size();
    const auto count = static_cast<std::size_t>(std::max(0, ask.stage_layers[stage]));
    // In the middle stages of the same layers are alike.
    if (stage > 1 && !last && ask.stage_layers[stage] == ask.stage_layers[stage - 1] &&
        layers.repeat_before(layer + count, count)) {
      layer += count;
      stages.push_back(stages.back());
      continue;
    }
    Sum sum;
    for (std::size_t i = 0; i < count && layer < all; ++i, ++layer) sum.add(layers.of(layer));
    if (first) sum.bytes += table + vision;
    if (last && !(shape.tied && first)) sum.bytes += table;
    sum.bytes += rope;
    sum.replicated += rope;
    stages.push_back({.bytes = whole_bytes(sum.bytes),
                      .low = whole_bytes(sum.bytes * (1 - fewer)),
                      .high = whole_bytes(sum.bytes * (1 + band)),
                      .replicated = whole_bytes(sum.replicated),
                      .origin = Origin::Formula,
                      .notes = notes_of(t, ask.stage_layers[stage], first, last)});
  }
  return stages;
}

}  // namespace sx
