// One line a name.
#include "check/condition_names.h"

#include <algorithm>

#include "engines/context_limit.h"
#include "knowledge/architectures.h"

namespace sx {
namespace {

using V = ConditionValue;
using Place = std::optional<Span>;

V number(const Fact<int>& fact) {
  return fact.known() ? V::of(static_cast<double>(fact.value())) : V{};
}
V tokens(const Fact<Tokens>& fact) {
  return fact.known() ? V::of(static_cast<double>(fact.value().count())) : V{};
}
V words(const Fact<std::string>& fact) { return fact.known() ? V::of(fact.value()) : V{}; }
V truth(const std::optional<bool>& known) { return known ? V::of(*known) : V{}; }

// More than none of it; not known as long as the count is not.
V some(const Fact<int>& count) { return count.known() ? V::of(count.value() > 0) : V{}; }

// The asked number, or nothing where the command says none; then the engine's own way counts.
template <class T>
Place place_of(const Fact<T>& fact) {
  return fact.asked() ? fact.span() : Place{};
}

template <auto Member>
V serve_number(const Case& c) {
  return number(c.serve.*Member);
}
template <auto Member>
Place serve_place(const Case& c) {
  return place_of(c.serve.*Member);
}
template <auto Member>
V model_number(const Case& c) {
  return number(c.model().*Member);
}
template <auto Member>
V model_words(const Case& c) {
  return words(c.model().*Member);
}
template <auto Member>
V architecture(const Case& c) {
  if (!c.model().architecture.known()) return {};
  const auto row = find_architecture(c.model().architecture.value());
  return row ? truth((*row).*Member) : V{};
}

V world(const Case& c) {
  const auto size = c.serve.world_size();
  return size ? V::of(static_cast<double>(*size)) : V{};
}

V local_replicas(const Case& c) {
  return c.serve.data_parallel_local.asked() ? number(c.serve.data_parallel_local) : V::absent();
}

V attention_replicas(const Case& c) {
  return c.serve.attention_data_parallel.known() ? number(c.serve.attention_data_parallel)
                                                 : V::of(1.0);
}

V experts_apart(const Case& c) {
  return c.serve.expert_parallel.known() ? V::of(c.serve.expert_parallel.value()) : V{};
}

V quantisation(const Case& c) {
  const auto& fact = c.model().quantisation;
  return fact.known() ? V::of(fact.value().method) : V{};
}

// What the command asks for; `auto` asks for nothing.
V asked_dtype(const Case& c) {
  if (!c.serve.dtype.asked() || c.serve.dtype.value() == "auto") return V::absent();
  return words(c.serve.dtype);
}

// As the engine derives it; not known where versions around this one differ.
V context(const Case& c) {
  const auto limit = context_limit(c.serve, c.model());
  return limit && limit->least == limit->most ? V::of(static_cast<double>(limit->least)) : V{};
}

V length(const Case& c) {
  return c.serve.max_model_len.known() ? tokens(c.serve.max_model_len) : context(c);
}

V window(const Case& c) { return tokens(c.model().sliding_window); }

// Of the cards that the launch sees, the one that can least.
V capability(const Case& c) {
  if (!c.host().gpu_count.known() || c.host().gpus.empty()) return {};
  double least = 1000;
  for (const Gpu& gpu : c.host().gpus) {
    const bool seen = !c.visible.known || c.visible.gpus.empty() ||
                      std::ranges::find(c.visible.gpus, gpu.index) != c.visible.gpus.end();
    if (!seen) continue;
    if (!gpu.capability.known()) return {};
    const auto& is = gpu.capability.value();
    least = std::min(least, (is.major * 10 + is.minor) / 10.0);  // 8.9 as the table writes it
  }
  return least < 1000 ? V::of(least) : V{};
}

V gpus(const Case& c) {
  return c.visible.known ? V::of(static_cast<double>(c.visible.gpus.size())) : V{};
}

// Holds the name of the model in the command; what marks rows that bite by the model alone.
V model(const Case& c) { return words(c.serve.model); }

V host_memory(const Case& c) {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  const auto& memory = c.host().memory;
  return memory.known() ? V::of(static_cast<double>(memory.value().count()) / kGib) : V{};
}

// Holds the keys of the whole speculative setting, however it was given.
V speculative(const Case& c) {
  if (c.serve.speculative.known()) return V::of(c.serve.speculative.value());
  return c.serve.speculative.why_unknown().empty() ? V::absent() : V{};
}

using S = ServeSpec;
using M = ModelSpec;
using A = ArchitectureRow;
constexpr ConditionName kNames[] = {
    {"tp", serve_number<&S::tensor_parallel>, Need::ParallelSizes,
     serve_place<&S::tensor_parallel>},
    {"pp", serve_number<&S::pipeline_parallel>, Need::ParallelSizes,
     serve_place<&S::pipeline_parallel>},
    {"dp", serve_number<&S::data_parallel>, Need::ParallelSizes, serve_place<&S::data_parallel>},
    {"dp_local", local_replicas, Need::ParallelSizes, serve_place<&S::data_parallel_local>},
    {"attn_dp", attention_replicas, Need::ParallelSizes, serve_place<&S::attention_data_parallel>},
    {"pcp", serve_number<&S::prefill_context_parallel>, Need::ParallelSizes,
     serve_place<&S::prefill_context_parallel>},
    {"dcp", serve_number<&S::decode_context_parallel>, Need::ParallelSizes,
     serve_place<&S::decode_context_parallel>},
    {"nnodes", serve_number<&S::node_count>, Need::ParallelSizes, serve_place<&S::node_count>},
    {"world", world, Need::ParallelSizes, nullptr},
    {"ep", experts_apart, {}, serve_place<&S::expert_parallel>},
    {"dtype", asked_dtype, {}, serve_place<&S::dtype>},
    {"kv_dtype",
     [](const Case& c) { return c.serve.kv_dtype.asked() ? words(c.serve.kv_dtype) : V::absent(); },
     {},
     serve_place<&S::kv_dtype>},
    {"length", length, Need::ModelContext, serve_place<&S::max_model_len>},
    {"speculative", speculative, {}, serve_place<&S::speculative>},
    {"model", model, {}, serve_place<&S::model>},
    {"host_gib", host_memory, {}, nullptr},
    {"heads", model_number<&M::heads>, Need::ModelHeads, nullptr},
    {"kv_heads", model_number<&M::kv_heads>, Need::ModelKvHeads, nullptr},
    {"layers", model_number<&M::layers>, Need::ModelLayers, nullptr},
    {"experts", model_number<&M::experts>, Need::ModelExperts, nullptr},
    {"expert_width", model_number<&M::expert_width>, Need::ModelExperts, nullptr},
    {"head_dim", model_number<&M::head_dim>, Need::ModelShape, nullptr},
    {"hidden", model_number<&M::hidden_size>, Need::ModelShape, nullptr},
    {"draft_layers", model_number<&M::draft_layers>, Need::ModelShape, nullptr},
    {"mla", [](const Case& c) { return some(c.model().kv_lora); }, Need::ModelShape, nullptr},
    {"moe", [](const Case& c) { return some(c.model().experts); }, Need::ModelExperts, nullptr},
    {"linear", [](const Case& c) { return some(c.model().linear_value_heads); }, Need::ModelShape,
     nullptr},
    {"vision", [](const Case& c) { return some(c.model().vision.layers); }, Need::ModelShape,
     nullptr},
    {"window", window, Need::ModelShape, nullptr},
    {"context", context, Need::ModelContext, nullptr},
    {"arch", model_words<&M::architecture>, Need::ModelArchitecture, nullptr},
    {"model_type", model_words<&M::model_type>, Need::ModelArchitecture, nullptr},
    {"model_dtype", model_words<&M::dtype>, Need::ModelDtype, nullptr},
    {"quant", quantisation, Need::ModelQuantisation, nullptr},
    {"arch_lora", architecture<&A::lora>, Need::ModelArchitecture, nullptr},
    {"arch_eplb", architecture<&A::eplb>, Need::ModelArchitecture, nullptr},
    {"arch_multimodal", architecture<&A::multimodal>, Need::ModelArchitecture, nullptr},
    {"arch_encoder_data", architecture<&A::encoder_data>, Need::ModelArchitecture, nullptr},
    {"arch_hybrid", architecture<&A::hybrid>, Need::ModelArchitecture, nullptr},
    {"capability", capability, Need::HostGpuKind, nullptr},
    {"gpus", gpus, Need::VisibleDevices, nullptr},
};

}  // namespace

const ConditionName* condition_name(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, &ConditionName::name);
  return found == std::end(kNames) ? nullptr : found;
}

}  // namespace sx
