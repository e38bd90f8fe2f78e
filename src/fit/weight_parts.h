// What a rank holds of a model before its layers are dealt out to pipeline stages: the same for
// every pipeline of one way to split a layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "facts/fact.h"
#include "fit/weights.h"

namespace sx {

struct WeightPart {
  double bytes = 0;
  double replicated = 0;  // part of them that every rank holds
  double unknown = 0;     // likewise, because nobody knows how these names are split
};

// Which layers of a model are alike, whatever their weights are split into.
struct LayerPattern {
  struct Layer {
    std::int64_t layer = 0;
    bool linear = false;
  };
  std::vector<Layer> first;          // of each kind
  std::vector<std::size_t> kind_of;  // of each layer
};

struct WeightParts {
  std::vector<WeightPart> kinds;    // of layers
  std::vector<std::size_t> layers;  // the kind of each
  WeightPart first, last;           // beside layers, on the first stage and on the last
  double second_table = 0;          // of the embedding, on a last stage that is not the first
  double each = 0;                  // on every rank of every stage
  double copies_a_layer = 0;        // that an engine makes of what a layer has
  double below = 0, above = 0;      // the band: parts of all bytes
  Origin origin = Origin::Formula;  // or Header
  std::string format;               // by formula: "bf16"
  std::int64_t ranks = 1;           // that share a layer
};

// One entry a stage.
std::vector<RankWeights> on_stages(const WeightParts& parts, const std::vector<int>& stage_layers);

}  // namespace sx
