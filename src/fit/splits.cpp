// The reasons against a layout, in the order in which a person would want to hear them: what the
// architecture forbids first, then what the number format of the weights forbids, then the
// pipeline.
#include "fit/splits.h"

#include <algorithm>
#include <numeric>

#include "fit/splits_quantised.h"

namespace sx {
namespace {

// A size that facts give, or 0 when it is unknown, absent or nonsense.
std::int64_t size_of(const Fact<int>& fact) {
  return fact.known() && fact.value() > 0 ? fact.value() : 0;
}

// Adds a reason when `size` does not divide; a size of 0 is unknown and raises none.
void must_divide(std::vector<SplitProblem>& out, SplitKind kind, std::int64_t size,
                 std::int64_t parts, const char* tensor = "") {
  if (size == 0 || parts <= 1 || size % parts == 0) return;
  out.push_back({.kind = kind,
                 .size = size,
                 .parts = parts,
                 .left = size % parts,
                 .unit = 0,
                 .tensor = tensor});
}

void heads(std::vector<SplitProblem>& out, const ModelSpec& model, const SplitAsk& ask) {
  const std::int64_t tensor = ask.attention_parts();
  must_divide(out, SplitKind::Heads, size_of(model.heads), tensor);
  const std::int64_t kv_heads = size_of(model.kv_heads);
  // The latent of multi-head latent attention stands whole on every rank: there are no KV heads to
  // share out.
  if (kv_heads == 0 || model.is_mla()) return;
  const bool shared_out = kv_heads % tensor == 0;
  const bool copied = ask.replicates_kv_heads && tensor % kv_heads == 0;
  if (shared_out || copied) return;
  const std::int64_t left =
      kv_heads >= tensor || !ask.replicates_kv_heads ? kv_heads % tensor : tensor % kv_heads;
  out.push_back({.kind = SplitKind::KvHeads, .size = kv_heads, .parts = tensor, .left = left});
}

void linear_heads(std::vector<SplitProblem>& out, const ModelSpec& model, int tensor) {
  must_divide(out, SplitKind::LinearHeads, size_of(model.linear_key_heads), tensor,
              "linear key heads");
  must_divide(out, SplitKind::LinearHeads, size_of(model.linear_value_heads), tensor,
              "linear value heads");
}

void widths(std::vector<SplitProblem>& out, const ModelSpec& model, const SplitAsk& ask) {
  const int tensor = ask.layout.tensor;
  if (has_dense_mlp(model))
    must_divide(out, SplitKind::Width, size_of(model.intermediate_size), tensor, "gate_up output");
  if (model.is_moe()) {
    if (!ask.layout.expert) {
      must_divide(out, SplitKind::ExpertWidth, size_of(model.expert_width), expert_parts(ask),
                  "expert gate_up output");
    }
    must_divide(out, SplitKind::SharedWidth, size_of(model.shared_expert_width),
                ask.shared_expert_parts(), "shared expert gate_up output");
  }
  if (ask.pads_vocabulary) return;
  const std::int64_t vocabulary = size_of(model.vocab_size);
  const std::int64_t padding = ask.vocabulary_padding > 0 ? ask.vocabulary_padding : 1;
  must_divide(out, SplitKind::Vocabulary, (vocabulary + padding - 1) / padding * padding, tensor,
              "embedding rows");
}

void experts(std::vector<SplitProblem>& out, const ModelSpec& model, const SplitAsk& ask) {
  const int parts = ask.expert_split > 0 ? static_cast<int>(expert_parts(ask)) : ask.layout.tensor;
  if (!ask.expert_limit || !model.is_moe() || parts <= model.experts.value()) return;
  out.push_back({.kind = SplitKind::ExpertCount,
                 .size = model.experts.value(),
                 .parts = parts,
                 .left = parts - model.experts.value()});
}

void stages(std::vector<SplitProblem>& out, const ModelSpec& model, const Layout& layout) {
  const std::int64_t layers = size_of(model.layers);
  if (layers != 0 && layout.pipeline > layers) {
    out.push_back({.kind = SplitKind::Layers,
                   .size = layers,
                   .parts = layout.pipeline,
                   .left = layout.pipeline - layers});
  }
  if (layout.partition.empty()) return;
  const auto count = static_cast<std::int64_t>(layout.partition.size());
  if (count != layout.pipeline) {
    out.push_back({.kind = SplitKind::Partition,
                   .size = count,
                   .parts = layout.pipeline,
                   .left = count - layout.pipeline,
                   .tensor = "entries"});
    return;
  }
  const std::int64_t sum =
      std::accumulate(layout.partition.begin(), layout.partition.end(), std::int64_t{0});
  if (layers == 0 || sum == layers) return;
  out.push_back({.kind = SplitKind::Partition,
                 .size = sum,
                 .parts = layers,
                 .left = sum - layers,
                 .tensor = "layers"});
}

}  // namespace

int SplitAsk::attention_parts() const {
  return std::max(1, layout.tensor / std::max(1, attention_split));
}

std::vector<SplitProblem> split_problems(const ModelSpec& model, const SplitAsk& ask) {
  std::vector<SplitProblem> out;
  if (ask.layout.tensor < 1 || ask.layout.pipeline < 1)
    return out;  // no layout: a rule of the command says so
  heads(out, model, ask);
  linear_heads(out, model, ask.attention_parts());
  widths(out, model, ask);
  experts(out, model, ask);
  if (!ask.whole_vision_tower) {
    must_divide(out, SplitKind::VisionHeads, size_of(model.vision.heads), ask.attention_parts(),
                "vision heads");
  }
  quantised_slices(out, model, ask);
  stages(out, model, ask.layout);
  return out;
}

std::vector<int> tensor_sizes(const ModelSpec& model, SplitAsk ask, int most) {
  ask.layout.pipeline = 1;
  ask.layout.partition.clear();
  std::vector<int> sizes;
  for (int tensor = 1; tensor <= most; ++tensor) {
    ask.layout.tensor = tensor;
    if (split_problems(model, ask).empty()) sizes.push_back(tensor);
  }
  return sizes;
}

}  // namespace sx
