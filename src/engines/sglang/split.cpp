// Attention is shared out over tensor ranks / attention groups / ranks of the context, experts over
// what --ep-size and --moe-dp-size leave of them.
#include "engines/sglang/split.h"

#include <algorithm>

#include "engines/argparse/values.h"
#include "knowledge/quantisation.h"
#include "knowledge/traits.h"

namespace sx::sglang {
namespace {

constexpr int kMost = 4096;  // as layouts are bounded

// A size that a flag gives; one where it is not given or makes no sense, which other rules say.
int size_of(const ServeSpec& serve, std::string_view flag) {
  const FlagUse* use = serve.use_of(flag);
  if (use == nullptr || use->values.empty() || !use->complete) return 1;
  const auto size = argparse::python_integer(use->values.front());
  return size && *size >= 1 && *size <= kMost ? static_cast<int>(*size) : 1;
}

int bounded(const Fact<int>& size) { return std::clamp(size.value_or(1), 1, kMost); }

// Cards whose kernels want the tiles of Marlin; unknown cards are taken for such.
bool uses_marlin(const Case& c) {
  const QuantisationRow* row =
      quantisation_in("sglang", QuantisationKind::Method, "gptq_marlin", c.serve.version);
  if (row == nullptr || !row->capability) return true;
  if (!c.visible.known || c.visible.gpus.empty()) return true;
  const auto first = static_cast<std::size_t>(c.visible.gpus.front());
  if (first >= c.host().gpus.size() || !c.host().gpus[first].capability.known()) return true;
  return !(c.host().gpus[first].capability.value() < *row->capability);
}

}  // namespace

SplitAsk split_ask(const Case& c, const Layout& layout) {
  const ServeSpec& serve = c.serve;
  SplitAsk ask;
  ask.layout = layout;
  ask.attention_split = bounded(serve.attention_data_parallel) * size_of(serve, "--attn-cp-size");
  ask.expert_split = bounded(serve.expert_ranks) * size_of(serve, "--moe-dp-size");
  // A backend that sends tokens to whole experts leaves a whole shared expert on each rank too.
  ask.whole_shared_expert =
      serve.expert_parallel.value_or(false) && serve.expert_parallel.origin() == Origin::Formula;
  ask.layout.expert = ask.whole_shared_expert || ask.expert_split >= layout.tensor;
  ask.expert_limit = trait("sglang", "expert-width", serve.version) == "at most experts";
  // Which towers pad their heads was not read, so no tower is a reason against a layout.
  ask.whole_vision_tower = true;
  ask.quantization_flag = c.model().is_quantised() ? "" : serve.quantization.value_or("");
  ask.marlin = uses_marlin(c);
  ask.pads_vocabulary = true;
  return ask;
}

std::optional<bool> pipeline_supported(const Case&) { return {}; }

}  // namespace sx::sglang
