// The bytes that stand in the files, laid over ranks by the tensors' names; then what loaders add
// to them: joined tensors are rounded by the allocator, rope tables, absorbed copies of latent
// attention, kernel padding.
#include "fit/weights_from_headers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "fit/number_formats.h"
#include "fit/weights_by_formula.h"

namespace sx {
namespace {

using Part = TensorPlace::Part;

constexpr Text kByHeaders{"layers: {layers}, by the headers of its files",
                          "层数：{layers}，按权重文件头计算"};
constexpr Text kOneRank{"one of {ranks} ranks", "{ranks} 个 rank 之一"};
constexpr Text kUnknownNames{"{size} with names that are not known count on every rank",
                             "{size} 的张量名称未知，每个 rank 都计入"};

double real(std::int64_t size) { return static_cast<double>(size); }

double ratio(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? real(part) / real(whole) : 1;
}

// Bytes an element of the types that loaders convert to the dtype that is served; 0: kept as it is.
double converted_width(std::string_view dtype) {
  if (dtype == "BF16" || dtype == "F16") return 2;
  if (dtype == "F32") return 4;
  return dtype == "F64" ? 8 : 0;
}

bool is_matrix(const TensorPlace& place, const TensorInfo& tensor) {
  if (tensor.shape.size() < 2) return false;
  switch (place.sharding) {
    case Sharding::Columns:
    case Sharding::Rows:
    case Sharding::KvColumns:
    case Sharding::FusedQkv:
    case Sharding::Experts:
    case Sharding::ExpertColumns:
    case Sharding::ExpertRows:
      return place.kind == "weight" || place.kind.empty();
    case Sharding::Vocabulary:
    case Sharding::Replicated:
    case Sharding::Unknown:
      return false;
  }
  return false;
}

// Scales stay in the type they have.
double loaded_bytes(const TensorInfo& tensor, const TensorPlace& place, const WeightsAsk& ask) {
  const auto stored = real(std::max<std::int64_t>(0, tensor.bytes.count()));
  const double width = converted_width(tensor.dtype);
  if (width == 0 || place.kind.find("scale") != std::string_view::npos) return stored;
  const bool online_fp8 = ask.quantization_flag.find("fp8") != std::string::npos &&
                          is_matrix(place, tensor) && place.part != Part::Vision;
  const double loaded = online_fp8 ? formula_constant("weight-bytes:fp8-channel") : ask.dtype_bytes;
  return stored / width * loaded;
}

// Part of a tensor that one rank holds.
class Shares {
 public:
  Shares(const Shape& shape, const WeightsAsk& ask)
      : shape_(shape),
        ask_(ask),
        tensor_(std::max(1, ask.layout.tensor)),
        attention_(ask.attention_ranks > 0 ? ask.attention_ranks : tensor_) {
    const std::int64_t flat =
        tensor_ * std::max(1, ask.layout.data) * std::max(1, ask.layout.prefill_context);
    // With whole experts the first ranks hold one more where they do not divide.
    experts_ = ask.layout.expert ? ratio((shape.experts + flat - 1) / flat, shape.experts)
                                 : 1 / real(ask.experts_over_data ? flat : tensor_);
    kv_ = ratio(std::max<std::int64_t>(1, shape.kv_heads / attention_), shape.kv_heads);
  }

  double of(const TensorPlace& place, const TensorInfo& tensor) const {
    const bool one_dimension = tensor.shape.size() < 2;
    switch (place.sharding) {
      case Sharding::Columns:
        if (place.part == Part::Vision && ask_.whole_vision_tower) return 1;
        return 1 / real(ranks_of(place, tensor));
      case Sharding::Rows:
        return one_dimension ? 1 : 1 / real(ranks_of(place, tensor));
      case Sharding::KvColumns:
        return kv_;
      case Sharding::FusedQkv:
        return fused();
      case Sharding::Vocabulary:
        return vocabulary(tensor);
      case Sharding::Experts:
      case Sharding::ExpertColumns:
      case Sharding::ExpertRows:
        return experts_;
      case Sharding::Replicated:
      case Sharding::Unknown:
        return 1;
    }
    return 1;
  }

 private:
  // Modules of attention have it in their names: self_attn, linear_attn, attention.
  std::int64_t ranks_of(const TensorPlace& place, const TensorInfo& tensor) const {
    const bool attends = place.part == Part::Layer && tensor.name.find("att") != std::string::npos;
    return attends ? attention_ : tensor_;
  }

  double fused() const {
    const double query = real(shape_.heads), kv = 2 * real(shape_.kv_heads);
    return (query / real(attention_) + kv * kv_) / (query + kv);
  }

  double vocabulary(const TensorInfo& tensor) const {
    const std::int64_t rows = tensor.shape.empty() ? 0 : tensor.shape.front();
    if (rows <= 0 || rows > 1'000'000'000) return 1 / real(tensor_);
    const std::int64_t padding = std::max(1, ask_.vocabulary_padding);
    return ratio((rows + padding - 1) / padding * padding / tensor_, rows);
  }

  const Shape& shape_;
  const WeightsAsk& ask_;
  std::int64_t tensor_;
  std::int64_t attention_;
  double experts_ = 1, kv_ = 1;
};

// Bytes of one stage before rounding: tensors that the loader joins are one entry.
struct StageSum {
  std::map<std::pair<int, std::string>, double> joined;
  double replicated = 0;
  double unknown = 0;
  double table = 0;  // of the embedding
  bool has_head = false;
};

int stage_of_layer(const std::vector<int>& stage_layers, int layer) {
  int first = 0;
  for (std::size_t stage = 0; stage < stage_layers.size(); ++stage) {
    first += stage_layers[stage];
    if (layer < first) return static_cast<int>(stage);
  }
  return -1;
}

// The stage of a tensor; -1: not loaded.
int stage_of(const TensorPlace& place, const Shape& shape, const WeightsAsk& ask) {
  const int last = static_cast<int>(ask.stage_layers.size()) - 1;
  switch (place.part) {
    case Part::Layer:
      // Layers behind the last one are draft layers.
      return place.layer < shape.layers ? stage_of_layer(ask.stage_layers, place.layer) : -1;
    case Part::Embedding:
      return 0;
    case Part::Head:
      return shape.tied ? -1 : last;
    case Part::FinalNorm:
      return last;
    case Part::Vision:
      return ask.without_vision ? -1 : 0;
    case Part::Draft:
      return -1;
    case Part::Other:
      return 0;
  }
  return 0;
}

double padding_of(const TensorPlace& place, const Shape& shape, const WeightsAsk& ask,
                  bool padded) {
  const bool expert =
      place.sharding == Sharding::ExpertColumns || place.sharding == Sharding::ExpertRows;
  if (!padded || !expert) return 1;
  std::int64_t parts = std::max(1, ask.layout.tensor);
  if (ask.experts_over_data)
    parts *= std::max(1, ask.layout.data) * std::max(1, ask.layout.prefill_context);
  const std::int64_t width = ask.layout.expert ? shape.expert_width : shape.expert_width / parts;
  return expert_padding(shape, width, ask.capability);
}

std::vector<StageSum> sums_of(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask) {
  std::vector<StageSum> stages(ask.stage_layers.size());
  const Shares shares(shape, ask);
  const bool padded = number_formats(model, shape, ask.quantization_flag).padded_experts;
  for (const TensorInfo& tensor : model.tensors) {
    const TensorPlace place = place_of_tensor(tensor.name);
    const int stage = stage_of(place, shape, ask);
    if (stage < 0) continue;
    StageSum& sum = stages[static_cast<std::size_t>(stage)];
    const double bytes = loaded_bytes(tensor, place, ask) * shares.of(place, tensor) *
                         padding_of(place, shape, ask, padded);
    const bool of_experts =
        place.sharding == Sharding::ExpertColumns || place.sharding == Sharding::ExpertRows;
    std::string name(place.joined);
    if (of_experts) name.insert(0, "experts.");
    if (place.part != Part::Layer) name = tensor.name;
    sum.joined[{place.layer, name + '.' + std::string(place.kind)}] += bytes;
    if (place.sharding == Sharding::Replicated) sum.replicated += bytes;
    if (place.sharding == Sharding::Unknown) sum.unknown += bytes;
    if (place.part == Part::Embedding && place.sharding == Sharding::Vocabulary) sum.table += bytes;
    if (place.part == Part::Head) sum.has_head = true;
  }
  return stages;
}

double absorbed_copies(const Shape& s, const WeightsAsk& ask, int layers) {
  if (!s.is_mla()) return 0;
  const int ranks = ask.attention_ranks > 0 ? ask.attention_ranks : std::max(1, ask.layout.tensor);
  const double heads = real(s.heads / ranks);
  return real(layers) * 2 * heads * real(s.kv_lora) * real(s.qk_nope + s.v_head);
}

}  // namespace

bool headers_are_whole(const ModelSpec& model) {
  if (model.tensors.empty()) return false;
  return std::ranges::none_of(model.files, [](const WeightFile& file) {
    switch (file.state) {
      case FileState::Ok:
      case FileState::Truncated:  // its header names all of its tensors
      case FileState::Extra:
        return false;
      case FileState::Missing:
      case FileState::Damaged:
      case FileState::Pointer:
      case FileState::WebPage:
      case FileState::Text:
      case FileState::Unreadable:
      case FileState::Obsolete:
        return true;
    }
    return true;
  });
}

std::vector<RankWeights> weights_from_headers(const ModelSpec& model, const Shape& shape,
                                              const WeightsAsk& ask) {
  const std::vector<StageSum> sums = sums_of(model, shape, ask);
  const Allocator allocator;
  const double rope = rope_table_bytes(model, shape) * ask.dtype_bytes / 2;
  const double band = formula_constant("weights-band:headers");
  std::vector<RankWeights> stages;
  for (std::size_t stage = 0; stage < sums.size(); ++stage) {
    const StageSum& sum = sums[stage];
    double bytes = rope + absorbed_copies(shape, ask, ask.stage_layers[stage]);
    for (const auto& [name, size] : sum.joined) bytes += allocator.allocated(size);
    const bool last = stage + 1 == sums.size();
    // A tied head on a stage of its own is a second copy of the embedding.
    if (last && stage > 0 && (shape.tied || !sum.has_head))
      bytes += allocator.allocated(sums.front().table);
    std::vector<Message> notes{Message{kByHeaders, {{"layers", ask.stage_layers[stage]}}}};
    if (ask.layout.tensor > 1) notes.push_back({kOneRank, {{"ranks", ask.layout.tensor}}});
    if (sum.unknown > 0) notes.push_back({kUnknownNames, {{"size", whole_bytes(sum.unknown)}}});
    stages.push_back({.bytes = whole_bytes(bytes),
                      .low = whole_bytes(bytes * (1 - band)),
                      .high = whole_bytes(bytes * (1 + band)),
                      .replicated = whole_bytes(sum.replicated + sum.unknown + rope),
                      .origin = Origin::Header,
                      .notes = std::move(notes)});
  }
  return stages;
}

}  // namespace sx
