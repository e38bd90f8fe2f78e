// A stage of n layers holds T tokens when n x (layer + T x cell) fits its room with no layers; the
// greatest T for which all stages together take all layers is found by halving, and the engine's
// own arithmetic has the last word.
#include "plan/stages.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/strings.h"
#include "engines/engine.h"
#include "knowledge/foreign_flags.h"

namespace sx {
namespace {

constexpr double kWorthASplit = 1.03;
constexpr int kHalvings = 48;  // to the token, from any size

constexpr Text kNote{
    "stages of {layers} layers instead of {usual}: {more} % more KV cache ({tokens} tokens instead "
    "of {before})",
    "各流水级的层数为 {layers}，而不是 {usual}：KV 缓存多 {more}%（{tokens} 个 token，原为 "
    "{before} 个）"};

// What a stage has for its layers and their cache together.
struct Stage {
  double room = 0;   // with no layers at all
  double layer = 0;  // bytes of one layer's weights
  double cell = 0;   // bytes of one layer's cache of one token

  // At most as many as the model has.
  int most_layers(double tokens, int all) const {
    const double each = layer + tokens * cell;
    return each <= 0 || room <= 0 ? 0 : static_cast<int>(std::min<double>(room / each, all));
  }
};

double weights_of_stage(const Budget& budget, int stage) {
  double most = 0;
  for (const GpuBudget& gpu : budget.gpus) {
    const BudgetLine* line = gpu.line("weights");
    if (gpu.stage == stage && line != nullptr)
      most = std::max(most, static_cast<double>(line->bytes.count()));
  }
  return most;
}

// The GPU of a stage that holds the fewest tokens.
const GpuBudget* tightest_of(const Budget& budget, int stage) {
  const GpuBudget* found = nullptr;
  for (const GpuBudget& gpu : budget.gpus) {
    if (gpu.stage == stage && (found == nullptr || gpu.room < found->room)) found = &gpu;
  }
  return found;
}

std::optional<std::vector<Stage>> stages_of(const Budget& budget, const std::vector<int>& layers,
                                            double layer_bytes) {
  std::vector<Stage> stages;
  for (std::size_t s = 0; s < layers.size(); ++s) {
    const GpuBudget* gpu = tightest_of(budget, static_cast<int>(s));
    if (gpu == nullptr || gpu->bytes_per_token <= 0 || layers[s] < 1) return {};
    stages.push_back({.room = static_cast<double>(gpu->room.count()) + layers[s] * layer_bytes,
                      .layer = layer_bytes,
                      .cell = static_cast<double>(gpu->bytes_per_token) / layers[s]});
  }
  return stages;
}

std::vector<int> most_layers(const std::vector<Stage>& stages, double tokens, int all) {
  std::vector<int> counts;
  for (const Stage& stage : stages) counts.push_back(stage.most_layers(tokens, all));
  return counts;
}

bool take_all(const std::vector<Stage>& stages, double tokens, int layers) {
  int taken = 0;
  for (const Stage& stage : stages) taken += stage.most_layers(tokens, layers);
  return taken >= layers;
}

// The greatest number of tokens for which the stages take all layers.
std::vector<int> best_counts(const std::vector<Stage>& stages, int layers) {
  double low = 0, high = 1e9;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (take_all(stages, middle, layers) ? low : high) = middle;
  }
  auto counts = most_layers(stages, low, layers);
  int spare = std::reduce(counts.begin(), counts.end()) - layers;
  // Spare places are taken from the fullest stages, so that the slowest stage is as fast as can be.
  while (spare > 0) {
    --*std::ranges::max_element(counts);
    --spare;
  }
  return counts;
}

// One layer moved from the first stage to the last tells what a layer weighs.
std::optional<double> layer_bytes(const Case& launch, const Engine& engine, const Layout& layout,
                                  const Budget& usual, const std::vector<int>& layers) {
  if (layers.front() < 2) return {};
  Layout moved = layout;
  moved.partition = layers;
  --moved.partition.front();
  ++moved.partition.back();
  if (engine.stage_weights == nullptr) return {};
  const std::vector<RankWeights> weights = engine.stage_weights(launch, moved);
  if (weights.size() != layers.size()) return {};
  const auto of = [&weights](std::size_t stage) {
    return static_cast<double>(weights[stage].bytes.count());
  };
  const int last = static_cast<int>(layers.size()) - 1;
  const double bytes = std::max(weights_of_stage(usual, 0) - of(0),
                                of(weights.size() - 1) - weights_of_stage(usual, last));
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace

std::optional<StageSplit> better_stages(const Case& launch, const Budget& usual) {
  const Engine* engine = find_engine(launch.serve.engine);
  const auto layout = layout_of(launch.serve);
  if (engine == nullptr || !layout || layout->pipeline < 2 || !layout->partition.empty()) return {};
  if (own_name(launch.serve.engine, "VLLM_PP_LAYER_PARTITION").empty()) return {};
  const std::vector<int> layers = engine->stages(launch, *layout);
  if (layers.size() != static_cast<std::size_t>(layout->pipeline)) return {};
  const auto bytes = layer_bytes(launch, *engine, *layout, usual, layers);
  if (!bytes) return {};
  const auto stages = stages_of(usual, layers, *bytes);
  if (!stages) return {};
  const int all = std::reduce(layers.begin(), layers.end());
  auto counts = best_counts(*stages, all);
  const bool whole = std::reduce(counts.begin(), counts.end()) == all &&
                     std::ranges::all_of(counts, [](int count) { return count > 0; });
  if (!whole || counts == layers) return {};
  Layout other = *layout;
  other.partition = counts;
  auto budget = engine->budget(launch, other);
  if (!budget || !worth_it(usual.kv_tokens, budget->kv_tokens)) return {};
  return StageSplit{std::move(counts), layers, std::make_shared<const Budget>(std::move(*budget))};
}

bool worth_it(Tokens usual, Tokens better) {
  return static_cast<double>(better.count()) > kWorthASplit * static_cast<double>(usual.count());
}

Message stages_note(const StageSplit& split, Tokens usual, Tokens better) {
  const double more =
      usual.count() > 0
          ? 100.0 * (static_cast<double>(better.count()) / static_cast<double>(usual.count()) - 1)
          : 100.0;
  return {kNote,
          {{"layers", join(split.layers, "/")},
           {"usual", join(split.usual, "/")},
           {"more", static_cast<int>(std::lround(more))},
           {"tokens", better},
           {"before", usual}}};
}

}  // namespace sx
