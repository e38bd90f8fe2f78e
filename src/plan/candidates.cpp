// Enumerates TP x PP x DP, and with experts both ways of sharing them out.
#include "plan/candidates.h"

#include <algorithm>
#include <tuple>

#include "diag/message.h"

namespace sx {

Layout LaunchShape::layout() const {
  Layout layout;
  layout.tensor = tensor;
  layout.pipeline = pipeline;
  layout.data = ranks;
  layout.expert = expert;
  return layout;
}

std::string LaunchShape::label() const {
  return layout().label() + (groups > 1 ? " + DP attention" : "") +
         (small_cache ? " + FP8 KV" : "");
}

LaunchShape LaunchShape::with_small_cache() const {
  LaunchShape shape = *this;
  shape.small_cache = true;
  return shape;
}

Layout Candidate::layout() const {
  Layout layout = shape.layout();
  layout.data *= replicas;
  return layout;
}

std::string Candidate::label() const {
  const std::string one = shape.label();
  if (replicas == 1) return one;
  const bool simple = one.find(' ') == std::string::npos;
  return std::to_string(replicas) + " x " + (simple ? one : '(' + one + ')');
}

namespace {

constexpr Text kOneGpu{"one GPU", "单张 GPU"};
constexpr Text kOverLayers{"layers over {gpus} GPUs", "{gpus} 张 GPU 分层"};
constexpr Text kOnesEach{"{copies} x one GPU", "{copies} 个单卡副本"};
constexpr Text kOverLayersEach{"{copies} x layers over {gpus} GPUs",
                               "{copies} 个副本，各 {gpus} 张 GPU 分层"};

void add_shapes(std::vector<LaunchShape>& shapes, const LaunchKinds& kinds, const ModelSpec& model,
                int each) {
  const bool moe = model.is_moe();
  for (int tensor = each; tensor >= 1; --tensor) {
    if (each % tensor != 0 || (tensor > 1 && !kinds.tensor)) continue;
    const int rest = each / tensor;
    for (int ranks = 1; ranks <= rest; ++ranks) {
      if (rest % ranks != 0) continue;
      const int pipeline = rest / ranks;
      if (pipeline > 1 && !kinds.stages && !kinds.by_layers) continue;
      if (ranks > 1 && !(moe && kinds.ranks)) continue;
      shapes.push_back({tensor, pipeline, ranks, false});
      // Every tensor rank holds the whole latent cache of MLA; groups of requests hold it once.
      const bool groups =
          kinds.groups && model.is_mla() && tensor > 1 && pipeline == 1 && ranks == 1;
      const bool whole = moe && kinds.experts && tensor * ranks > 1;
      if (groups) shapes.push_back({.tensor = tensor, .groups = tensor});
      if (groups && whole) shapes.push_back({.tensor = tensor, .expert = true, .groups = tensor});
      if (whole) shapes.push_back({tensor, pipeline, ranks, true});
    }
  }
}

}  // namespace

Both shown_label(const Candidate& candidate, const LaunchKinds& kinds) {
  if (!kinds.by_layers) {
    const std::string label = candidate.label();
    return {label, label};
  }
  const Argument gpus("gpus", candidate.shape.pipeline), copies("copies", candidate.replicas);
  const bool one = candidate.shape.pipeline == 1;
  if (candidate.replicas == 1)
    return in_both(one ? Message{kOneGpu} : Message{kOverLayers, {gpus}});
  return in_both(one ? Message{kOnesEach, {copies}} : Message{kOverLayersEach, {copies, gpus}});
}

std::vector<Candidate> candidates(const ModelSpec& model, const LaunchKinds& kinds, int gpus) {
  const int most = std::min(gpus, kMostPlannedGpus);
  std::vector<Candidate> all;
  for (int each = 1; each <= most; ++each) {
    std::vector<LaunchShape> shapes;
    add_shapes(shapes, kinds, model, each);
    for (const LaunchShape& shape : shapes) {
      // Ranks that share experts out spread over all that one launch can have.
      const bool alone = kinds.ranks && (shape.ranks > 1 || shape.expert);
      const int copies = alone ? 1 : most / each;
      for (int replicas = 1; replicas <= copies; ++replicas) all.push_back({shape, replicas});
    }
  }
  std::ranges::sort(all, {}, [](const Candidate& c) {
    return std::tuple(c.gpus(), c.shape.ranks, c.replicas, -c.shape.tensor, c.shape);
  });
  return all;
}

}  // namespace sx
