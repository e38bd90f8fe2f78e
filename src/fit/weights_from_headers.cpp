// The bytes that stand in the files, laid over ranks by the tensors' names; then what loaders add
// to them: joined tensors are rounded by the allocator, rope tables, absorbed copies of latent
// attention, kernel padding.
#include "fit/weights_from_headers.h"

#include <algorithm>
#include <string>

#include "fit/latent_copies.h"
#include "fit/number_formats.h"
#include "fit/weights_by_formula.h"

namespace sx {
namespace {

using Part = TensorPlace::Part;

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

// What stands in the files, laid over ranks.
class Laid {
 public:
  Laid(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask)
      : shape_(shape),
        ask_(ask),
        shares_(shape, ask),
        padded_(number_formats(model, shape, ask.quantization_flag).padded_experts) {}

  // Tensors that the loader joins are rounded as one.
  void add(const JoinedTensors& joined, WeightPart& part) const {
    double all = 0;
    for (const LikeTensors& like : joined) {
      const double bytes = bytes_of(like);
      all += bytes;
      if (like.place.sharding == Sharding::Replicated) part.replicated += bytes;
      if (like.place.sharding == Sharding::Unknown) part.unknown += bytes;
    }
    part.bytes += allocator_.allocated(all);
  }

  double bytes_of(const LikeTensors& like) const {
    return like.count * loaded_bytes(*like.one, like.place, ask_) *
           shares_.of(like.place, *like.one) * padding_of(like.place, shape_, ask_, padded_);
  }

  void add_beside(const JoinedTensors& joined, WeightParts& parts) const {
    const TensorPlace& place = joined.front().place;
    switch (place.part) {
      case Part::Vision:
        if (!ask_.without_vision) add(joined, parts.first);
        return;
      case Part::Embedding:
      case Part::Other:
        return add(joined, parts.first);
      case Part::Head:
        if (!shape_.tied) add(joined, parts.last);
        return;
      case Part::FinalNorm:
        return add(joined, parts.last);
      case Part::Draft:
      case Part::Layer:
        return;
    }
  }

  // A tied head on a stage of its own is a second copy of the embedding.
  double second_table(const CheckpointTensors& tensors) const {
    double table = 0;
    bool has_head = false;
    for (const JoinedTensors& joined : tensors.beside) {
      const TensorPlace& place = joined.front().place;
      if (place.part == Part::Head) has_head = true;
      if (place.part != Part::Embedding || place.sharding != Sharding::Vocabulary) continue;
      for (const LikeTensors& like : joined) table += bytes_of(like);
    }
    return shape_.tied || !has_head ? allocator_.allocated(table) : 0;
  }

 private:
  const Shape& shape_;
  const WeightsAsk& ask_;
  Shares shares_;
  Allocator allocator_;
  bool padded_;
};

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

WeightParts parts_from_headers(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask,
                               const CheckpointTensors& tensors) {
  const Laid laid(model, shape, ask);
  WeightParts parts{.origin = Origin::Header, .ranks = std::max(1, ask.layout.tensor)};
  parts.layers = tensors.layers;
  for (const std::vector<JoinedTensors>& kind : tensors.kinds) {
    WeightPart& layer = parts.kinds.emplace_back();
    for (const JoinedTensors& joined : kind) laid.add(joined, layer);
  }
  for (const JoinedTensors& joined : tensors.beside) laid.add_beside(joined, parts);
  parts.second_table = laid.second_table(tensors);
  parts.each = rope_table_bytes(model, shape) * ask.dtype_bytes / 2;
  parts.copies_a_layer = latent_copies(model, shape, ask);
  parts.below = parts.above = formula_constant("weights-band:headers");
  return parts;
}

}  // namespace sx
