// Sums over the headers, and the sizes that config and tensors both tell.
#include "fit/checkpoint.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "fit/shape.h"

namespace sx {
namespace {

constexpr std::size_t kMostTwice = 100;  // more tell nothing new

std::int64_t count_of(Bytes bytes) { return std::max<std::int64_t>(0, bytes.count()); }

void add(TensorSum& sum, const TensorInfo& tensor) {
  ++sum.tensors;
  sum.bytes += Bytes{count_of(tensor.bytes)};
}

bool plain(const TensorInfo& tensor) {
  return tensor.shape.size() == 2 &&
         (tensor.dtype == "BF16" || tensor.dtype == "F16" || tensor.dtype == "F32");
}

// One size that a tensor's name promises: which dimension, and what the config says of it.
struct Promise {
  std::string_view ending;  // of the name
  std::size_t dimension = 0;
  std::string_view what;
  std::optional<std::int64_t> size;
};

std::optional<std::int64_t> size_of(const Fact<int>& fact) {
  return fact.known() ? std::optional<std::int64_t>(fact.value()) : std::nullopt;
}

std::optional<std::int64_t> product(const Fact<int>& a, const Fact<int>& b) {
  if (!a.known() || !b.known()) return {};
  return std::int64_t{a.value()} * b.value();
}

std::array<Promise, 6> promises_of(const ModelSpec& model) {
  const bool same_heads = model.kv_heads_by_layer.empty() && !model.is_mla() &&
                          !model.gated_query.value_or(false) && !model.is_linear_hybrid();
  const auto none = std::optional<std::int64_t>();
  const bool dense = !model.is_moe();
  return {{
      {"embed_tokens.weight", 0, "vocab_size", size_of(model.vocab_size)},
      {"embed_tokens.weight", 1, "hidden_size", size_of(model.hidden_size)},
      {"self_attn.q_proj.weight", 0, "num_attention_heads x head_dim",
       same_heads ? product(model.heads, model.head_dim) : none},
      {"self_attn.k_proj.weight", 0, "num_key_value_heads x head_dim",
       same_heads ? product(model.kv_heads, model.head_dim) : none},
      {"mlp.gate_proj.weight", 0, "intermediate_size",
       dense ? size_of(model.intermediate_size) : none},
      {"mlp.down_proj.weight", 1, "intermediate_size",
       dense ? size_of(model.intermediate_size) : none},
  }};
}

// Sizes of all layers; a size that differs from layer to layer is no promise of the config.
class Seen {
 public:
  void look(const TensorInfo& tensor, std::int64_t size) {
    if (first_.empty()) {
      first_ = tensor.name;
      size_ = size;
    }
    uniform_ = uniform_ && size == size_;
  }
  std::optional<ShapeConflict> against(const Promise& promise) const {
    if (first_.empty() || !uniform_ || !promise.size || *promise.size == size_) return {};
    return ShapeConflict{
        .tensor = first_, .what = promise.what, .in_config = *promise.size, .in_file = size_};
  }

 private:
  std::string first_;
  std::int64_t size_ = 0;
  bool uniform_ = true;
};

// Layers that the files have, when they are those of one decoder counted from 0.
std::optional<ShapeConflict> layer_conflict(const ModelSpec& model) {
  if (!model.layers.known()) return {};
  int most = -1;
  std::string_view name;
  for (const TensorInfo& tensor : model.tensors) {
    const TensorPlace place = place_of_tensor(tensor.name);
    if (place.part != TensorPlace::Part::Layer || place.layer <= most) continue;
    most = place.layer;
    name = tensor.name;
  }
  // Layers behind the last one are draft layers of some families.
  if (most < 0 || most + 1 >= model.layers.value()) return {};
  return ShapeConflict{.tensor = std::string(name),
                       .what = "num_hidden_layers",
                       .in_config = model.layers.value(),
                       .in_file = most + 1};
}

bool whole(const ModelSpec& model) {
  return std::ranges::all_of(model.files, [](const WeightFile& file) {
    return file.state == FileState::Ok || file.state == FileState::Extra;
  });
}

}  // namespace

std::vector<DtypeSum> sums_by_dtype(const ModelSpec& model) {
  std::map<std::string, TensorSum> sums;
  for (const TensorInfo& tensor : model.tensors) add(sums[tensor.dtype], tensor);
  std::vector<DtypeSum> all;
  for (const auto& [dtype, sum] : sums) all.push_back({dtype, sum});
  std::ranges::sort(all, [](const DtypeSum& a, const DtypeSum& b) {
    return a.sum.bytes != b.sum.bytes ? a.sum.bytes > b.sum.bytes : a.dtype < b.dtype;
  });
  return all;
}

std::vector<PartSum> sums_by_part(const ModelSpec& model) {
  std::map<TensorPlace::Part, TensorSum> sums;
  for (const TensorInfo& tensor : model.tensors)
    add(sums[place_of_tensor(tensor.name).part], tensor);
  std::vector<PartSum> all;
  for (const auto& [part, sum] : sums) all.push_back({part, sum});
  return all;
}

std::vector<ShapeConflict> shape_conflicts(const ModelSpec& model) {
  std::vector<ShapeConflict> conflicts;
  const bool comparable = model.weight_format.value_or("") == "safetensors" &&
                          model.layers.known() && model.layers.origin() == Origin::Config &&
                          !layers_unlike(model.model_type.value_or(""));
  if (!comparable || model.tensors.empty()) return conflicts;
  const auto promises = promises_of(model);
  std::array<Seen, promises.size()> seen;
  for (const TensorInfo& tensor : model.tensors) {
    const bool of_model =
        plain(tensor) && place_of_tensor(tensor.name).part != TensorPlace::Part::Vision;
    for (std::size_t i = 0; of_model && i < promises.size(); ++i) {
      if (tensor.name.ends_with(promises[i].ending))
        seen[i].look(tensor, tensor.shape[promises[i].dimension]);
    }
  }
  std::set<std::string_view> said;
  for (std::size_t i = 0; i < promises.size(); ++i) {
    auto conflict = seen[i].against(promises[i]);
    if (conflict && said.insert(conflict->what).second) conflicts.push_back(*std::move(conflict));
  }
  if (!whole(model)) return conflicts;
  if (auto layers = layer_conflict(model)) conflicts.push_back(*std::move(layers));
  return conflicts;
}

std::vector<std::string> tensors_twice(const ModelSpec& model) {
  std::vector<std::string_view> names;
  names.reserve(model.tensors.size());
  for (const TensorInfo& tensor : model.tensors) names.emplace_back(tensor.name);
  std::ranges::sort(names);
  std::vector<std::string> twice;
  for (std::size_t i = 1; i < names.size() && twice.size() < kMostTwice; ++i) {
    if (names[i] == names[i - 1] && (twice.empty() || twice.back() != names[i]))
      twice.emplace_back(names[i]);
  }
  return twice;
}

}  // namespace sx
