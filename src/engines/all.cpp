// The engines that this program knows, and the layout that a launch asks for.
#include <algorithm>
#include <array>

#include "engines/engine.h"
#include "engines/llamacpp/llamacpp.h"
#include "engines/other/other.h"
#include "engines/sglang/sglang.h"
#include "engines/vllm/vllm.h"

namespace sx {
namespace {

// Larger sizes are typing mistakes; arithmetic on layouts must not overflow.
constexpr int kLargestSize = 4096;

constexpr std::array<const Engine*, 3> kEngines{&vllm::engine, &sglang::engine, &llamacpp::engine};

// A size that is not said is one; a size that is said and makes no sense leaves no layout.
std::optional<int> size_of(const Fact<int>& fact) {
  if (!fact.known()) return {};
  if (fact.value() < 1 || fact.value() > kLargestSize) return {};
  return fact.value();
}

}  // namespace

std::span<const Engine* const> all_engines() { return kEngines; }

const Engine* find_engine(std::string_view name) {
  const auto found =
      std::ranges::find(kEngines, name, [](const Engine* engine) { return engine->name; });
  if (found != kEngines.end()) return *found;
  return find_other_engine(name) != nullptr ? &other::engine : nullptr;
}

std::optional<Layout> layout_of(const ServeSpec& serve) {
  const auto tensor = size_of(serve.tensor_parallel);
  const auto pipeline = size_of(serve.pipeline_parallel);
  const auto data = size_of(serve.data_parallel);
  const auto prefill = size_of(serve.prefill_context_parallel);
  const auto decode = size_of(serve.decode_context_parallel);
  if (!tensor || !pipeline || !data || !prefill || !decode) return {};
  if (static_cast<long long>(*tensor) * *pipeline > kLargestSize) return {};
  if (static_cast<long long>(*data) * *prefill > kLargestSize) return {};
  Layout layout{.tensor = *tensor,
                .pipeline = *pipeline,
                .data = *data,
                .expert = serve.expert_parallel.value_or(false),
                .prefill_context = *prefill,
                .decode_context = *decode};
  if (serve.partition.known()) layout.partition = serve.partition.value().layers;
  return layout;
}

}  // namespace sx
