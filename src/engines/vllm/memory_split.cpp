// How vLLM splits a model: what version and class decide beside the layout.
#include <algorithm>
#include <numeric>

#include "engines/vllm/memory.h"
#include "engines/vllm/memory_settings.h"
#include "knowledge/architectures.h"
#include "knowledge/paired_name.h"

namespace sx {
namespace {

bool does_for(std::string_view what, const ModelSpec& model, const Version& version) {
  const std::string_view type =
      model.model_type.known() ? std::string_view(model.model_type.value()) : "";
  return vllm_does(PairedName(what, type).view(), version);
}

// Loaders of some towers pad their heads or keep a whole tower on each rank when heads do not
// divide.
bool tower_adapts(const ModelSpec& model, int tensor, const Version& version) {
  const bool divides = tensor > 0 && model.vision.heads.value_or(0) % tensor == 0;
  return !divides && does_for("vision-tower-adapts:", model, version);
}

ExpertGroup expert_group(const ModelSpec& model, const Version& version) {
  if (does_for("expert-width-over-all:", model, version)) return ExpertGroup::World;
  return vllm_does("expert-width-over-data", version) ? ExpertGroup::TensorData
                                                      : ExpertGroup::Tensor;
}

bool uses_marlin(const Case& c) {
  if (vllm_does("marlin-pads", c.serve.version)) return false;
  if (!c.visible.known || c.visible.gpus.empty()) return true;
  const auto first = static_cast<std::size_t>(c.visible.gpus.front());
  if (first >= c.host().gpus.size() || !c.host().gpus[first].capability.known()) return true;
  return c.host().gpus[first].capability.value().major >=
         vllm_constant("marlin-capability", c.serve.version).value;
}

}  // namespace

SplitAsk vllm_split_ask(const Case& c, const Layout& layout) {
  const Version& version = c.serve.version;
  SplitAsk ask;
  ask.layout = layout;
  ask.expert_group = expert_group(c.model(), version);
  ask.smallest_expert_block =
      static_cast<int>(vllm_constant("fp8-expert-block-smallest", version).value);
  ask.whole_vision_tower = c.serve.encoder_data_parallel.value_or(false) ||
                           c.serve.language_model_only.value_or(false) ||
                           tower_adapts(c.model(), layout.tensor, version);
  const Fact<std::string>& architecture = c.model().architecture;
  if (const auto row = find_architecture(
          architecture.known() ? std::string_view(architecture.value()) : std::string_view{})) {
    ask.expert_limit = row->expert_limit.value_or(false);
    // "-" and silence mean the common rule.
    ask.replicates_kv_heads = row->kv_head_rule.find("strict") == std::string_view::npos;
  }
  ask.quantization_flag = c.model().is_quantised() ? "" : c.serve.quantization.value_or("");
  ask.marlin = uses_marlin(c);
  ask.vocabulary_padding = static_cast<int>(formula_constant("vocab-padding"));
  return ask;
}

std::vector<int> vllm_stages(const Case& c, const Layout& layout) {
  const int layers = c.model().layers.known() ? std::max(0, c.model().layers.value()) : 0;
  const auto& given = layout.partition;
  const bool sums = std::accumulate(given.begin(), given.end(), std::int64_t{0}) == layers;
  const bool positive = std::ranges::all_of(given, [](int count) { return count >= 0; });
  if (given.size() == static_cast<std::size_t>(std::max(0, layout.pipeline)) && !given.empty() &&
      sums && positive)
    return given;
  const bool before_last = vllm_does("stage-rest-before-last", c.serve.version);
  return stage_layers(layers, layout.pipeline,
                      before_last ? StageRule::RestBeforeLast : StageRule::RestToLast);
}

}  // namespace sx
