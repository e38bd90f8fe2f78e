// One walk over all names; what follows looks at kinds only.
#include "fit/checkpoint_tensors.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace sx {
namespace {

using Part = TensorPlace::Part;

bool of_experts(const TensorPlace& place) {
  return place.sharding == Sharding::ExpertColumns || place.sharding == Sharding::ExpertRows;
}

// Whether the loader makes one tensor of both, which are of one layer.
bool joined(const TensorPlace& a, const TensorPlace& b) {
  return a.joined == b.joined && a.kind == b.kind && of_experts(a) == of_experts(b);
}

// Modules of attention are told by their names where a layer's tensors are shared out.
bool attends(const TensorInfo& tensor) { return tensor.name.find("att") != std::string::npos; }

bool same_size(const LikeTensors& like, const TensorInfo& tensor, const TensorPlace& place) {
  return like.place.sharding == place.sharding && like.one->bytes == tensor.bytes &&
         like.one->shape == tensor.shape && like.one->dtype == tensor.dtype &&
         attends(*like.one) == attends(tensor);
}

void add(JoinedTensors& all, const TensorInfo& tensor, const TensorPlace& place) {
  for (LikeTensors& like : all) {
    if (!same_size(like, tensor, place)) continue;
    ++like.count;
    return;
  }
  all.push_back({.one = &tensor, .place = place});
}

void add_to_layer(std::vector<JoinedTensors>& layer, const TensorInfo& tensor,
                  const TensorPlace& place) {
  for (JoinedTensors& all : layer) {
    if (joined(all.front().place, place)) return add(all, tensor, place);
  }
  layer.emplace_back();
  add(layer.back(), tensor, place);
}

bool same(const JoinedTensors& a, const JoinedTensors& b) {
  return joined(a.front().place, b.front().place) &&
         std::ranges::equal(a, b, [](const LikeTensors& one, const LikeTensors& other) {
           return one.count == other.count && same_size(one, *other.one, other.place);
         });
}

}  // namespace

CheckpointTensors checkpoint_tensors(const ModelSpec& model, const Shape& shape) {
  std::vector<std::vector<JoinedTensors>> layers(static_cast<std::size_t>(shape.layers));
  CheckpointTensors all;
  std::unordered_map<std::string_view, std::size_t> beside;  // by name
  TensorPlaces places;
  for (const TensorInfo& tensor : model.tensors) {
    const TensorPlace place = places.of(tensor.name);
    if (place.part == Part::Layer) {
      // Layers behind the last one are draft layers.
      if (place.layer >= 0 && place.layer < shape.layers)
        add_to_layer(layers[static_cast<std::size_t>(place.layer)], tensor, place);
      continue;
    }
    const auto [known, fresh] = beside.try_emplace(tensor.name, all.beside.size());
    if (fresh) all.beside.emplace_back();
    add(all.beside[known->second], tensor, place);
  }
  for (std::vector<JoinedTensors>& layer : layers) {
    const auto known = std::ranges::find_if(
        all.kinds, [&layer](const auto& kind) { return std::ranges::equal(kind, layer, same); });
    all.layers.push_back(static_cast<std::size_t>(known - all.kinds.begin()));
    if (known == all.kinds.end()) all.kinds.push_back(std::move(layer));
  }
  return all;
}

}  // namespace sx
