// One walk over all names; what follows looks at kinds only.
#include "fit/checkpoint_tensors.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace sx {
namespace {

using Part = TensorPlace::Part;

bool of_experts(const TensorPlace& place) {
  return place.sharding == Sharding::ExpertColumns || place.sharding == Sharding::ExpertRows;
}

// Modules of attention are told by their names where a layer's tensors are shared out.
bool attends(const TensorInfo& tensor) { return tensor.name.find("att") != std::string::npos; }

// Of one layer the loader makes one tensor of those with the same.
using Group = std::tuple<std::string_view, std::string_view, bool>;
Group group_of(const TensorPlace& place) { return {place.joined, place.kind, of_experts(place)}; }

// All that counts for the size on a rank.
using Size = std::tuple<Sharding, std::int64_t, bool, std::string_view,
                        const std::vector<std::int64_t>&>;  // of the model
Size size_of(const TensorInfo& tensor, const TensorPlace& place) {
  return {place.sharding, tensor.bytes.count(), attends(tensor), tensor.dtype, tensor.shape};
}

// Names and sizes stand in a file, which may have a million different ones: none is looked for one
// after the other.
class Gathered {
 public:
  void add(const Group& group, const TensorInfo& tensor, const TensorPlace& place) {
    const auto [at, fresh] = groups_.try_emplace(group, all_.size());
    if (fresh) all_.emplace_back();
    JoinedTensors& joined = all_[at->second];
    const auto [like, first] =
        sizes_.try_emplace(std::pair(at->second, size_of(tensor, place)), joined.size());
    if (first)
      joined.push_back({.one = &tensor, .place = place});
    else
      ++joined[like->second].count;
  }
  std::vector<JoinedTensors> take() { return std::move(all_); }

 private:
  std::vector<JoinedTensors> all_;
  std::map<Group, std::size_t> groups_;
  std::map<std::pair<std::size_t, Size>, std::size_t> sizes_;
};

// Equal for layers that are alike.
using LayerKind = std::vector<std::tuple<Group, std::size_t, int, Size>>;
LayerKind kind_of(const std::vector<JoinedTensors>& layer) {
  LayerKind kind;
  for (std::size_t i = 0; i < layer.size(); ++i) {
    for (const LikeTensors& like : layer[i])
      kind.emplace_back(group_of(like.place), i, like.count, size_of(*like.one, like.place));
  }
  return kind;
}

}  // namespace

CheckpointTensors checkpoint_tensors(const ModelSpec& model, const Shape& shape) {
  std::vector<Gathered> layers(static_cast<std::size_t>(shape.layers));
  Gathered beside;  // joined by name
  TensorPlaces places;
  for (const TensorInfo& tensor : model.tensors) {
    const TensorPlace place = places.of(tensor.name);
    if (place.part != Part::Layer) {
      beside.add({tensor.name, {}, false}, tensor, place);
    } else if (place.layer >= 0 && place.layer < shape.layers) {
      // Layers behind the last one are draft layers.
      layers[static_cast<std::size_t>(place.layer)].add(group_of(place), tensor, place);
    }
  }
  CheckpointTensors all{.kinds = {}, .layers = {}, .beside = beside.take()};
  std::map<LayerKind, std::size_t> kinds;
  for (Gathered& gathered : layers) {
    std::vector<JoinedTensors> layer = gathered.take();
    const auto [known, fresh] = kinds.try_emplace(kind_of(layer), all.kinds.size());
    all.layers.push_back(known->second);
    if (fresh) all.kinds.push_back(std::move(layer));
  }
  return all;
}

}  // namespace sx
