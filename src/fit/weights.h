// Bytes of weights on each rank: from tensor headers and how the families split them, or from the
// shape by formula.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "facts/host_spec.h"
#include "facts/model_spec.h"
#include "fit/layout.h"
#include "fit/notes.h"

namespace sx {

struct WeightsAsk {
  Layout layout;
  std::vector<int> stage_layers;  // layers a stage
  std::string quantization_flag;  // e.g. "fp8" on a 16-bit checkpoint
  int dtype_bytes = 2;
  ComputeCapability capability;  // for paddings that kernels need
  int vocabulary_padding = 64;
  bool without_vision = false;
  bool whole_vision_tower = false;
  // Experts that are cut are cut over data-parallel ranks too, where those share one launch.
  bool experts_over_data = false;
  // Latent attention's up-projection is kept multiplied into its neighbours, not as two copies.
  bool latent_products = false;
  int attention_ranks = 0;  // that split attention, when others than the tensor group; 0: the group
};

struct RankWeights {
  Bytes bytes;
  Bytes low, high;   // headers: equal; formulas: a band
  Bytes replicated;  // part that every rank of the stage holds
  Origin origin = Origin::Formula;
  Notes notes;
};

// One entry a stage (all ranks of a stage hold the same). Empty when layers or widths are unknown.
std::vector<RankWeights> rank_weights(const ModelSpec& model, const WeightsAsk& ask);

// How a tensor is laid over tensor-parallel ranks, by the names that the families use. Unknown
// names are replicated.
enum class Sharding {
  Columns,     // a rank holds some of the outputs
  Rows,        // a rank holds some of the inputs; its bias is replicated
  KvColumns,   // columns by KV heads: copied when there are more ranks than heads
  FusedQkv,    // query, key and value in one tensor
  Vocabulary,  // padded rows
  Experts,     // one or all experts of a layer, side not known
  ExpertColumns,
  ExpertRows,
  Replicated,
  Unknown,
};
struct TensorPlace {
  Sharding sharding = Sharding::Unknown;
  int layer = -1;  // -1: not of a layer
  enum class Part { Layer, Embedding, Head, FinalNorm, Vision, Draft, Other } part = Part::Other;
  // Tensors of one layer that the loader joins into one have the same: "qkv_proj.weight". Owned by
  // the caller's name or static.
  std::string_view joined;
  std::string_view
      kind;  // behind the module: "weight", "bias", "qweight", "scales", "weight_scale_inv" …
};
TensorPlace place_of_tensor(std::string_view name);

// The same for many names. Those of all layers and experts differ in their numbers only, and are
// read once.
class TensorPlaces {
 public:
  // What the place points to is part of the first such name.
  TensorPlace of(std::string_view name);

 private:
  std::unordered_map<std::string, TensorPlace> known_;  // by the name without its numbers
  std::string bare_;                                    // of the newest name
};

}  // namespace sx
