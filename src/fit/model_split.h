// What a step's cost needs of a model under one way to split it, as plain numbers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fit/gemm.h"
#include "fit/kv.h"
#include "fit/shape.h"

namespace sx {

// Layers that cost the same.
struct LayerClass {
  LayerKind kind = LayerKind::Full;
  bool latent = false, experts = false, wide = false;
  int count = 0;
  double token_bytes = 0;  // of cache on a rank

  bool operator==(const LayerClass&) const = default;
};

// Over how many ranks each part of a layer is cut, and whose tokens meet there.
struct SplitSizes {
  int tensor = 1;           // attention's heads
  int dense = 1;            // dense MLPs and the vocabulary
  int expert_ranks = 1;     // that share whole experts; 1: experts are cut
  int expert_cut = 1;       // pieces of an expert, where experts are cut
  int expert_replicas = 1;  // whose tokens meet at the experts
  int gathered = 1;         // whose tokens meet at dense MLPs and at the head as well
};

// What a step's cost needs of a model under one way to split it; made once for all stages.
struct ModelSplit {
  SplitSizes sizes;
  Shape shape;
  WeightFormats formats;
  WideLayers wide;
  std::vector<LayerKind> kinds;
  double kv_element = 2;
  double usual_token_bytes = 0, wide_token_bytes = 0;
  double window = 0;         // of sliding and chunked layers; 0: not known
  double state_bytes = 0;    // of linear attention on a rank, a request
  double sparse_tokens = 0;  // that sparse attention looks at; 0: at all
  double indexer_bytes = 0;  // a token, of sparse attention
};
std::optional<ModelSplit> split_of(const ModelSpec& model, std::string_view quantization_flag,
                                   const SplitSizes& sizes, double kv_element);

// Of one expert on a rank.
double expert_width_here(const ModelSplit& split);

// Classes of a stage's layers: so many from `first_layer` on.
std::vector<LayerClass> classes_of(const ModelSplit& split, int first_layer, int layers);

}  // namespace sx
