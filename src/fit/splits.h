// Whether a model splits over so many ranks, exactly as the engines' own loaders decide it: one
// list of reasons that the checker's rules say and the layout search obeys, so that the two can
// never disagree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts/model_spec.h"
#include "fit/layout.h"

namespace sx {

enum class SplitKind {
  Heads,        // attention heads % tp
  KvHeads,      // kv heads neither divide nor are divided
  Vocabulary,   // padded vocabulary % tp
  Width,        // MLP width, o_proj input % tp
  ExpertWidth,  // expert width % tp x dp without expert parallelism
  SharedWidth,  // shared expert width % tp
  LinearHeads,  // linear-attention heads % tp
  VisionHeads,  // vision heads % tp, unless each rank holds the whole tower
  QuantGroup,   // a rank's slice cuts a quantisation group
  MarlinTile,   // a rank's slice is no multiple of the kernel's tile
  Fp8Block,     // a rank's slice is no whole number of FP8 blocks
  ExpertCount,  // more ranks than experts where the class refuses that
  Layers,       // more stages than layers
  Partition,    // given partition: wrong count or sum
};

// One reason against a layout: `size` things over `parts` leave `left`.
struct SplitProblem {
  SplitKind kind;
  std::int64_t size = 0;   // heads, width, padded vocabulary, slice …
  std::int64_t parts = 0;  // ranks or stages
  std::int64_t left = 0;   // remainder
  std::int64_t unit = 0;   // group, block or tile that the slice must be a multiple of; 0 otherwise
  std::string
      tensor;  // what is cut: "down_proj input", "gate_up output"; empty for heads and layers
};

// Over which ranks the width of an expert is shared out when experts are not kept whole.
enum class ExpertGroup {
  Tensor,      // vLLM up to 0.8.5
  TensorData,  // tensor x data x prefill-context ranks, vLLM from 0.9.2 on
  World,       // gpt-oss: pipeline ranks count too
};

// What of the launch matters besides the layout.
struct SplitAsk {
  Layout layout;
  ExpertGroup expert_group = ExpertGroup::TensorData;
  // Blocks of FP8 experts shrink to what divides a rank's slice, down to this size; 0: they do not
  // (vLLM before 0.29).
  int smallest_expert_block = 0;
  bool whole_vision_tower = false;  // --mm-encoder-tp-mode data, or --language-model-only
  bool expert_limit = false;        // the class refuses more tensor ranks than experts
  bool replicates_kv_heads = true;  // false: the class wants kv heads % tp == 0
  std::string quantization_flag;  // --quantization given on an unquantised checkpoint; empty: none
  bool marlin =
      true;  // group-quantised weights go through the Marlin kernel (compute capability 8.0 on)
  int vocabulary_padding = 64;
  bool pads_vocabulary = false;  // up to what divides: never a reason
  // SGLang's attention groups and expert ranks lie inside the tensor group: attention is shared out
  // over tensor / attention_split ranks, an expert's width over tensor / expert_split (0: as
  // expert_group says).
  int attention_split = 1, expert_split = 0;
  bool whole_shared_expert = false;  // on each rank
  int attention_parts() const;
  int shared_expert_parts() const { return whole_shared_expert ? 1 : layout.tensor; }
};

// All reasons against the layout, most fundamental first. Facts that are unknown raise no reason.
std::vector<SplitProblem> split_problems(const ModelSpec& model, const SplitAsk& ask);

// Tensor-parallel sizes from 1 to `most` with no reason against them (pipeline 1).
std::vector<int> tensor_sizes(const ModelSpec& model, SplitAsk ask, int most);

}  // namespace sx
