// Tensor names of GGUF: blk.N.… belongs to layer N, token_embd to the host, the rest to the output.
// A model with tied tables has its embedding copied to the output's device.
#include "engines/llamacpp/memory_weights.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "fit/weights_by_formula.h"
#include "knowledge/constants.h"
#include "knowledge/gguf_file_types.h"

namespace sx {
namespace {

constexpr double k16Bit = 16;

// N of "blk.N."; -1: of no layer.
int layer_of(std::string_view name) {
  if (!name.starts_with("blk.")) return -1;
  name.remove_prefix(4);
  const auto number = to_integer(name.substr(0, name.find('.')));
  return number && *number >= 0 && *number < 1'000'000 ? static_cast<int>(*number) : -1;
}

LlamaWeights by_tensors(const ModelSpec& model, const Shape& shape) {
  const auto layers = static_cast<std::size_t>(shape.layers);
  LlamaWeights weights{.layers = std::vector<double>(layers),
                       .experts = std::vector<double>(layers),
                       .small = std::vector<double>(layers),
                       .exact = true};
  bool head = false;
  for (const TensorInfo& tensor : model.tensors) {
    const auto bytes = static_cast<double>(tensor.bytes.count());
    const int layer = layer_of(tensor.name);
    if (layer >= 0) {
      const auto at = static_cast<std::size_t>(layer);
      if (at >= layers) continue;  // of a draft, which is not loaded
      weights.layers[at] += bytes;
      if (tensor.name.find("_exps.") != std::string::npos) weights.experts[at] += bytes;
      if (tensor.shape.size() < 2) weights.small[at] += bytes;
    } else if (tensor.name.starts_with("token_embd.")) {
      weights.embedding += bytes;
    } else {
      head = head || tensor.name == "output.weight";
      weights.output += bytes;
    }
  }
  if (!head) weights.output += weights.embedding;
  return weights;
}

// The tag in a file's or a repository's name: "…-Q4_K_M.gguf", "…-GGUF:Q8_0"; the last one counts.
std::optional<double> bits_in(std::string_view name) {
  std::optional<double> found;
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find_first_of("-.:/", begin), name.size());
    const GgufFileType* type =
        end > begin ? find_gguf_file_type(name.substr(begin, end - begin)) : nullptr;
    if (type != nullptr && type->bits) found = type->bits;
    begin = end + 1;
  }
  return found;
}

std::optional<double> bits_of(const ModelSpec& model, std::string_view name) {
  for (const std::string_view text : {name, std::string_view(model.id)}) {
    if (const auto bits = bits_in(text)) return bits;
  }
  if (!model.is_quantised() || model.quantisation.value().method != "gguf") return {};
  const Quantisation& q = model.quantisation.value();
  if (const auto bits = bits_in(q.format)) return bits;
  return q.bits;
}

// As many values as the shape has, each of so many bits.
LlamaWeights by_bits(const ModelSpec& model, const Shape& shape, double bits, double band) {
  ModelSpec plain = model;
  plain.tensors.clear();
  plain.quantisation = {Quantisation{}, Origin::Formula};
  WeightsAsk ask;
  ask.without_vision = true;  // lies in a file of its own
  ask.stage_layers.assign(static_cast<std::size_t>(shape.layers) + 2, 1);
  ask.stage_layers.front() = ask.stage_layers.back() = 0;
  const auto stages = on_stages(parts_by_formula(plain, shape, ask), ask.stage_layers);
  const double part = bits / k16Bit, rope = rope_table_bytes(plain, shape);
  const auto sized = [&](const RankWeights& stage) {
    return std::max(0.0, static_cast<double>(stage.bytes.count()) - rope) * part;
  };
  LlamaWeights weights{.exact = false, .low = 1 - band, .high = 1 + band};
  weights.embedding = sized(stages.front());
  weights.output = sized(stages.back());
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    weights.layers.push_back(sized(stages[static_cast<std::size_t>(layer) + 1]));
    const double experts = shape.is_moe_layer(layer)
                               ? 3.0 * static_cast<double>(shape.experts) *
                                     static_cast<double>(shape.expert_width) *
                                     static_cast<double>(shape.hidden) * bits / 8
                               : 0;
    weights.experts.push_back(std::min(experts, weights.layers.back()));
    weights.small.push_back(0);
  }
  return weights;
}

}  // namespace

std::optional<LlamaWeights> llama_weights(const ModelSpec& model, const Shape& shape,
                                          std::string_view name, const Version& version) {
  const bool of_gguf = model.weight_format.value_or("") == "gguf";
  if (of_gguf && model.checkpoint_bytes.known() && !model.tensors.empty())
    return by_tensors(model, shape);
  const auto bits = bits_of(model, name);
  if (!bits || !(*bits > 0)) return {};
  const auto band = constant("llamacpp", "bits-band", version);
  return by_bits(model, shape, *bits, band ? band->value : 0);
}

}  // namespace sx
