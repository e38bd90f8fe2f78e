// What the families call their tensors, and how each is split. Names as the checkpoints on the hub
// have them; splits as the engines' model classes lay them over column-parallel, row-parallel and
// replicated layers.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "fit/weights.h"

namespace sx {
namespace {

using Part = TensorPlace::Part;

struct Named {
  std::string_view module;  // last word of the module's path
  Sharding sharding;
  std::string_view joined;  // what the loader makes of it; empty: itself
};

// Attention, dense MLP and linear attention of llama, qwen, mistral, gemma, phi3, internlm2,
// baichuan, chatglm, falcon, opt, bloom, gpt2, deepseek, qwen3_next, gpt-oss.
constexpr std::array kModules = {
    Named{"q_proj", Sharding::Columns, "qkv"},
    Named{"k_proj", Sharding::KvColumns, "qkv"},
    Named{"v_proj", Sharding::KvColumns, "qkv"},
    Named{"qkv_proj", Sharding::FusedQkv, "qkv"},
    Named{"query_key_value", Sharding::FusedQkv, "qkv"},
    Named{"Wqkv", Sharding::FusedQkv, "qkv"},
    Named{"wqkv", Sharding::FusedQkv, "qkv"},
    Named{"W_pack", Sharding::FusedQkv, "qkv"},
    Named{"c_attn", Sharding::FusedQkv, "qkv"},
    Named{"o_proj", Sharding::Rows, ""},
    Named{"wo", Sharding::Rows, ""},
    Named{"out_proj", Sharding::Rows, ""},
    Named{"dense", Sharding::Rows, ""},
    Named{"c_proj", Sharding::Rows, ""},
    Named{"gate_proj", Sharding::Columns, "gate_up"},
    Named{"up_proj", Sharding::Columns, "gate_up"},
    Named{"gate_up_proj", Sharding::Columns, "gate_up"},
    Named{"w1", Sharding::Columns, "gate_up"},
    Named{"w3", Sharding::Columns, "gate_up"},
    Named{"fc1", Sharding::Columns, ""},
    Named{"fc_in", Sharding::Columns, ""},
    Named{"c_fc", Sharding::Columns, ""},
    Named{"dense_h_to_4h", Sharding::Columns, ""},
    Named{"down_proj", Sharding::Rows, "down"},
    Named{"w2", Sharding::Rows, "down"},
    Named{"fc2", Sharding::Rows, ""},
    Named{"fc_out", Sharding::Rows, ""},
    Named{"dense_4h_to_h", Sharding::Rows, ""},
    Named{"q_a_proj", Sharding::Replicated, "qkv_a"},
    Named{"kv_a_proj_with_mqa", Sharding::Replicated, "qkv_a"},
    Named{"q_b_proj", Sharding::Columns, ""},
    Named{"kv_b_proj", Sharding::Columns, ""},
    Named{"in_proj_qkvz", Sharding::Columns, "in_proj_qkvz"},
    Named{"in_proj_qkv", Sharding::Columns, "in_proj_qkvz"},
    Named{"in_proj_z", Sharding::Columns, "in_proj_qkvz"},
    Named{"in_proj_ba", Sharding::Columns, "in_proj_ba"},
    Named{"in_proj_a", Sharding::Columns, "in_proj_ba"},
    Named{"in_proj_b", Sharding::Columns, "in_proj_ba"},
    Named{"conv1d", Sharding::Columns, ""},
    Named{"A_log", Sharding::Columns, ""},
    Named{"dt_bias", Sharding::Columns, ""},
    Named{"sinks", Sharding::Columns, ""},
};

// Routers and what stands beside them: small, whole on each rank.
constexpr std::array<std::string_view, 7> kRouters{"gate",
                                                   "router",
                                                   "shared_expert_gate",
                                                   "wg",
                                                   "e_score_correction_bias",
                                                   "per_expert_scale",
                                                   "expert_bias"};

constexpr std::array<std::string_view, 7> kEmbeddings{
    "embed_tokens", "wte",       "word_embeddings", "tok_embeddings",
    "embed_in",     "embedding", "embeddings"};
constexpr std::array<std::string_view, 3> kPositions{"embed_positions", "wpe",
                                                     "position_embeddings"};
constexpr std::array<std::string_view, 4> kHeads{"lm_head", "output_layer", "embed_out", "output"};
constexpr std::array<std::string_view, 12> kVision{
    "audio_tower.",           "talker.",       "visual.",
    "vision_tower.",          "vision_model.", "vision_encoder.",
    "multi_modal_projector.", "mm_projector.", "patch_merger.",
    "vision_embed",           "vit.",          "mlp1."};
constexpr std::array<std::string_view, 3> kLayerWords{"layers", "h", "blocks"};
constexpr std::size_t kMostDigits = 6;  // of the number of a layer, an expert or a block

template <class List>
bool in(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// Last words that are kinds of tensors, not modules.
bool is_kind(std::string_view word) {
  constexpr std::array<std::string_view, 20> kKinds{"weight",
                                                    "bias",
                                                    "qweight",
                                                    "qzeros",
                                                    "scales",
                                                    "g_idx",
                                                    "weight_scale",
                                                    "weight_scale_inv",
                                                    "weight_scale_2",
                                                    "weight_packed",
                                                    "weight_shape",
                                                    "weight_zero_point",
                                                    "weight_g_idx",
                                                    "input_scale",
                                                    "input_global_scale",
                                                    "weight_global_scale",
                                                    "k_scale",
                                                    "v_scale",
                                                    "blocks",
                                                    "perm"};
  return in(kKinds, word);
}

// "experts.gate_up_proj_blocks" of gpt-oss: module and kind joined by an underscore.
struct LastWord {
  std::string_view module, kind;
};
LastWord last_word(const std::vector<std::string_view>& path) {
  const std::string_view last = path.back();
  if (is_kind(last) && path.size() > 1) return {path[path.size() - 2], last};
  for (const std::string_view kind : {"_blocks", "_scales", "_bias"}) {
    const bool of_experts = std::ranges::find(path, "experts") != path.end();
    if (of_experts && last.ends_with(kind))
      return {last.substr(0, last.size() - kind.size()), kind.substr(1)};
  }
  return {last, {}};
}

int layer_of(const std::vector<std::string_view>& path) {
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (!in(kLayerWords, path[i])) continue;
    const auto number = to_integer(path[i + 1]);
    if (number && *number >= 0 && *number < 1'000'000) return static_cast<int>(*number);
  }
  return -1;
}

bool is_norm(std::string_view module) {
  return module.find("norm") != std::string_view::npos || module.starts_with("ln_") ||
         module == "ln_f" || module == "layer_scalar";
}

Sharding of_experts(Sharding dense) {
  if (dense == Sharding::Columns) return Sharding::ExpertColumns;
  return dense == Sharding::Rows ? Sharding::ExpertRows : Sharding::Experts;
}

TensorPlace in_layer(const std::vector<std::string_view>& path, TensorPlace place,
                     const LastWord& word) {
  place.part = Part::Layer;
  const bool experts = std::ranges::find(path, "experts") != path.end();
  const bool indexer = std::ranges::find(path, "indexer") != path.end();
  if (indexer || is_norm(word.module) || (!experts && in(kRouters, word.module))) {
    place.sharding = Sharding::Replicated;
    return place;
  }
  const auto* named = std::ranges::find(kModules, word.module, &Named::module);
  if (named == kModules.end()) {
    place.sharding = experts ? Sharding::Experts : Sharding::Unknown;
    return place;
  }
  place.sharding = experts ? of_experts(named->sharding) : named->sharding;
  if (!named->joined.empty()) place.joined = named->joined;
  return place;
}

// A tower is split like any transformer: its matrices over ranks, all else whole.
TensorPlace in_vision(TensorPlace place, const LastWord& word) {
  place.part = Part::Vision;
  const bool matrix = word.kind == "weight" && !is_norm(word.module) &&
                      word.module.find("embed") == std::string_view::npos;
  place.sharding = matrix ? Sharding::Columns : Sharding::Replicated;
  return place;
}

TensorPlace outside_layers(TensorPlace place, const LastWord& word) {
  if (in(kEmbeddings, word.module)) {
    place.part = Part::Embedding;
    place.sharding = Sharding::Vocabulary;
  } else if (in(kPositions, word.module)) {
    place.part = Part::Embedding;
    place.sharding = Sharding::Replicated;
  } else if (in(kHeads, word.module)) {
    place.part = Part::Head;
    place.sharding = Sharding::Vocabulary;
  } else if (is_norm(word.module)) {
    place.part = Part::FinalNorm;
    place.sharding = Sharding::Replicated;
  }
  return place;
}

}  // namespace

TensorPlace place_of_tensor(std::string_view name) {
  const std::vector<std::string_view> path = split(name, '.');
  const LastWord word = last_word(path);
  TensorPlace place;
  place.joined = word.module;
  place.kind = word.kind;
  const bool vision = std::ranges::any_of(
      kVision, [name](std::string_view mark) { return name.find(mark) != std::string_view::npos; });
  if (vision) return in_vision(place, word);
  place.layer = layer_of(path);
  const bool draft = path.front() == "mtp" || name.find(".mtp.") != std::string_view::npos ||
                     name.find("mtp_block") != std::string_view::npos;
  if (place.layer < 0) {
    place = outside_layers(place, word);
  } else {
    place = in_layer(path, place, word);
  }
  if (draft) place.part = Part::Draft;
  return place;
}

namespace {

bool is_number(std::string_view word) {
  return !word.empty() && word.size() <= kMostDigits &&
         std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

// What a name says but for its numbers, and which of them is the layer's.
struct Bare {
  int layer = -1;
  bool plain = true;  // no number stands where a module or a kind does
};

Bare read_bare(std::string_view name, std::string& without) {
  Bare bare;
  without.clear();
  std::string_view before;
  bool number = false, number_before = false;
  for (std::string_view rest = name;;) {
    const auto end = rest.find('.');
    const std::string_view word = rest.substr(0, end);
    number_before = number;
    number = is_number(word);
    if (number && bare.layer < 0 && in(kLayerWords, before))
      bare.layer = static_cast<int>(to_integer(word).value_or(-1));
    without.append(number ? std::string_view("#") : word);
    if (end == std::string_view::npos) break;
    without.push_back('.');
    before = word;
    rest.remove_prefix(end + 1);
  }
  bare.plain = !number && !number_before;
  return bare;
}

}  // namespace

TensorPlace TensorPlaces::of(std::string_view name) {
  const Bare bare = read_bare(name, bare_);
  if (!bare.plain) return place_of_tensor(name);
  const auto known = known_.find(bare_);
  if (known == known_.end()) return known_.emplace(bare_, place_of_tensor(name)).first->second;
  TensorPlace place = known->second;
  if (place.layer >= 0) place.layer = bare.layer;
  return place;
}

}  // namespace sx
