// SGLang's memory, GPU by GPU: --mem-fraction-static of what is free before loading holds weights
// and pools; the pool of the stage that holds fewest tokens decides for all.
#include "engines/sglang/memory.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>

#include "engines/budget_parts.h"
#include "engines/learned_lines.h"
#include "engines/sglang/memory_lines.h"
#include "engines/sglang/memory_pool.h"
#include "engines/stage_weights.h"

namespace sx {
namespace {

constexpr Text kShapeOdd{"the model's layers, heads or widths make no sense",
                         "模型的层数、头数或宽度不合理"};
constexpr Text kDraftModel{"the draft model's memory is not counted", "未计入草稿模型的显存"};
constexpr Text kAdapters{"LoRA adapters are not counted", "未计入 LoRA 适配器"};
constexpr Text kState{"slots of recurrent state: {slots}", "循环状态的槽位数：{slots}"};
constexpr Text kFewerThanRoom{
    "as many tokens as the smallest pool, or as --max-total-tokens allows",
    "token 数取最小的池，或 --max-total-tokens 的上限"};

std::expected<SglangQuestion, NoBudget> question_of(const Case& c, const Layout& layout) {
  const auto shape = shape_for_budget(c.model());
  if (!shape) return std::unexpected(shape.error());
  auto gpus = gpus_for_budget(c, std::int64_t{layout.tensor} * layout.pipeline);
  if (!gpus) return std::unexpected(std::move(gpus.error()));
  SglangQuestion q{.c = c,
                   .layout = layout,
                   .shape = *shape,
                   .settings = sglang_settings(c, *shape, layout),
                   .share = {},
                   .stages = sglang_stages(c, layout),
                   .gpus = std::move(*gpus)};
  q.share = sglang_share(c, q.settings, q.shape);
  return q;
}

// Whether nothing but its number tells a rank from the one before: of one stage, on cards that its
// lines cannot tell apart.
bool is_twin(const SglangQuestion& q, std::size_t rank) {
  if (rank % static_cast<std::size_t>(q.settings.tensor) == 0) return false;
  const auto seen = [](const Gpu& gpu) {
    return std::tuple(gpu.usable.value(), gpu.usable_low.value_or(Bytes{0}),
                      gpu.usable_high.value_or(Bytes{0}), gpu.capability.value_or({}));
  };
  return seen(*q.gpus[rank]) == seen(*q.gpus[rank - 1]);
}

// Ranks of a stage differ only by their cards: weights are worked out once for each capability.
std::vector<SglangLines> lines_of(const SglangQuestion& q) {
  std::vector<SglangLines> all;
  all.reserve(q.gpus.size());
  std::vector<RankWeights> weights;
  const Gpu* last = nullptr;
  for (std::size_t rank = 0; rank < q.gpus.size(); ++rank) {
    if (is_twin(q, rank)) {
      all.push_back(all.back());
      continue;
    }
    const Gpu& gpu = *q.gpus[rank];
    const bool same =
        last != nullptr && last->capability.value_or({}) == gpu.capability.value_or({});
    if (!same) weights = sglang_weights(q, gpu);
    last = &gpu;
    if (weights.size() != q.stages.size()) return {};
    const auto stage = rank / static_cast<std::size_t>(q.settings.tensor);
    all.push_back(sglang_lines(q, static_cast<int>(rank), weights[stage]));
  }
  return all;
}

std::vector<int> layers_of(const std::vector<int>& stages, int stage) {
  const auto at = static_cast<std::size_t>(stage);
  std::vector<int> layers(static_cast<std::size_t>(std::max(0, stages[at])));
  std::iota(layers.begin(), layers.end(),
            std::accumulate(stages.begin(), stages.begin() + stage, 0));
  return layers;
}

struct Pools {
  SglangPool best, low, high;
};

Tokens least(const std::vector<Pools>& pools, SglangPool Pools::* of) {
  const auto found =
      std::ranges::min_element(pools, {}, [of](const Pools& p) { return (p.*of).tokens; });
  return found == pools.end() ? Tokens{} : ((*found).*of).tokens;
}

// The pool takes what its tokens need; what the tightest stage or a limit leaves over is unused.
void settle(GpuBudget& gpu, const SglangPool& pool, Tokens tokens) {
  gpu.bytes_per_token = static_cast<std::int64_t>(pool.token);
  const auto cache = std::ranges::find(gpu.lines, "kv_cache", &BudgetLine::name);
  if (cache == gpu.lines.end()) return;
  const Bytes room = gpu.kv_bytes - pool.state;
  Bytes taken = room;
  if (tokens < pool.in_room) {
    const Bytes less =
        whole_bytes(static_cast<double>((pool.in_room - tokens).count()) * pool.token);
    taken = std::max(room - less, Bytes{0});
  }
  gpu.kv_bytes = taken;
  cache->bytes = taken;
  cache->low = std::clamp(cache->low - pool.state, Bytes{0}, taken);
  cache->high = std::max(cache->high - pool.state, taken);
  if (taken < room) {
    cache->low = cache->high = taken;
    const auto unused = std::ranges::find(gpu.lines, "unused", &BudgetLine::name);
    unused->bytes += room - taken;
    unused->low += room - taken;
    unused->high += room - taken;
    unused->notes.add(kFewerThanRoom);
  }
  if (pool.state <= Bytes{0}) return;
  BudgetLine state{.name = "state", .bytes = pool.state, .low = pool.state, .high = pool.state};
  state.notes = {Message{kState, {{"slots", static_cast<std::int64_t>(pool.slots)}}}};
  gpu.lines.insert(std::ranges::find(gpu.lines, "kv_cache", &BudgetLine::name), std::move(state));
}

// Requests at once: what was asked, else by the pool; never more than the pool or the states hold.
int requests_of(const SglangSettings& s, Tokens tokens, double slots) {
  const auto number = [&s](std::string_view name) {
    return sglang_constant(name, s.version).value;
  };
  const auto pool = static_cast<double>(tokens.count());
  double requests = static_cast<double>(s.requests_asked) / s.attention_data;
  if (s.requests_asked == 0) {
    const double by_length =
        number("requests-per-length") * pool / static_cast<double>(s.context.count());
    const bool drafts = s.draft != SglangDraft::None;
    requests = drafts ? number("requests-with-draft")
                      : std::clamp(by_length, number("requests-least"), number("requests-most"));
  }
  requests = std::min(requests, pool / 2);
  if (slots > 0) {
    const double per_request = s.prefix_cache ? number("state-slots-per-request") : 1;
    requests = std::min(requests, slots / per_request);
  }
  return static_cast<int>(std::clamp(std::floor(requests), 0.0, 1e8));
}

void tell_pools(const SglangQuestion& q, const std::vector<Pools>& pools, Budget& budget) {
  const SglangSettings& s = q.settings;
  budget.kv_tokens = least(pools, &Pools::best);
  budget.kv_tokens_low = least(pools, &Pools::low);
  budget.kv_tokens_high = least(pools, &Pools::high);
  budget.request_tokens = budget.max_model_len = s.context;
  budget.max_model_len_asked = s.context_asked;
  budget.longest_possible = budget.kv_tokens;
  budget.max_batched_tokens = Tokens{s.chunk > 0 ? s.chunk / s.attention_data : s.prompts};
  budget.memory_fraction = q.share.fraction;
  double slots = 0;
  for (const Pools& pool : pools) {
    if (pool.best.slots > 0)
      slots = slots == 0 ? pool.best.slots : std::min(slots, pool.best.slots);
  }
  budget.max_num_seqs = requests_of(s, budget.kv_tokens, slots);
  budget.max_concurrency =
      static_cast<double>(budget.kv_tokens.count()) / static_cast<double>(s.context.count());
  if (slots > 0) budget.max_concurrency = std::min(budget.max_concurrency, slots);
}

std::vector<Message> assumptions_of(const SglangQuestion& q) {
  std::vector<Message> all = common_assumptions(q.c, q.shape, q.gpus.size());
  const bool uncounted = q.settings.draft == SglangDraft::Model && q.settings.draft_layers == 0;
  if (uncounted) all.push_back(kDraftModel);
  if (q.c.serve.use_of("--enable-lora") != nullptr || q.c.serve.use_of("--lora-paths") != nullptr)
    all.push_back(kAdapters);
  return all;
}

}  // namespace

std::expected<Budget, NoBudget> sglang_budget(const Case& c, const Layout& layout) {
  const auto q = question_of(c, layout);
  if (!q) return std::unexpected(q.error());
  const auto lines = lines_of(*q);
  if (lines.empty()) return std::unexpected(NoBudget{kShapeOdd});
  Budget budget;
  budget.gpus.reserve(lines.size());
  std::vector<Pools> pools;
  pools.reserve(lines.size());
  // What was learned is told for each GPU.
  const bool learned = learned_run(c, layout) != nullptr;
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    if (!learned && is_twin(*q, rank)) {
      budget.gpus.push_back(budget.gpus.back());
      budget.gpus.back().gpu = static_cast<int>(rank);
      ++budget.gpus.back().rank;
      pools.push_back(pools.back());
      continue;
    }
    GpuBudget gpu = sglang_gpu(*q, static_cast<int>(rank), lines[rank]);
    const auto& s = q->settings;
    const SglangCells cells = sglang_cells(c.model(), s, layers_of(q->stages, gpu.stage));
    const bool limits = cells.full > 0 || cells.window > 0;  // else no layer keeps tokens
    pools.push_back({.best = sglang_pool(s, cells, gpu.room),
                     .low = sglang_pool(s, cells, gpu.room_low),
                     .high = sglang_pool(s, cells, gpu.room_high)});
    if (!limits)
      for (SglangPool* pool : {&pools.back().best, &pools.back().low, &pools.back().high})
        pool->tokens = Tokens{INT64_MAX / 4};
    budget.gpus.push_back(std::move(gpu));
  }
  tell_pools(*q, pools, budget);
  for (std::size_t rank = 0; rank < pools.size(); ++rank)
    settle(budget.gpus[rank], pools[rank].best, budget.kv_tokens);
  budget.assumptions = assumptions_of(*q);
  return budget;
}

std::vector<RankWeights> sglang_stage_weights(const Case& c, const Layout& layout) {
  const auto q = question_of(c, layout);
  if (!q) return {};
  return heaviest_of_stages(
      {.gpus = q->gpus,
       .stages = q->stages.size(),
       .ranks_a_stage = static_cast<std::size_t>(q->settings.tensor)},
      [&](const Gpu& gpu) { return sglang_weights(*q, gpu); },
      [&](const RankWeights& weights) { return sglang_weights_line(*q, weights); });
}

std::optional<SglangSlack> sglang_slack(const Case& c, const Layout& layout) {
  const auto q = question_of(c, layout);
  if (!q) return {};
  const auto lines = lines_of(*q);
  const SglangNeed graphs = sglang_graphs_need(*q);
  std::optional<SglangSlack> least;
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    const SglangLines& of = lines[rank];
    const Bytes need = graphs.bytes + of.activations.bytes;
    if (least && least->left - least->need <= of.slack - need) continue;
    least = SglangSlack{.fraction = q->share.fraction,
                        .asked = q->share.asked,
                        .by_default = 0,
                        .before = of.before,
                        .left = of.slack,
                        .need = need,
                        .low = graphs.low + of.activations.low,
                        .high = graphs.high + of.activations.high,
                        .graphs = graphs.bytes,
                        .activations = of.activations.bytes,
                        .step = Tokens{sglang_step_tokens(q->settings)},
                        .gpu = static_cast<int>(rank)};
  }
  if (!least) return {};
  Case unasked = c;
  unasked.serve.memory_fraction = {};
  least->by_default = sglang_share(unasked, q->settings, q->shape).fraction;
  return least;
}

std::vector<int> sglang_stages(const Case& c, const Layout& layout) {
  const int layers = c.model().layers.known() ? std::max(0, c.model().layers.value()) : 0;
  const auto& given = layout.partition;
  const bool sums = std::accumulate(given.begin(), given.end(), std::int64_t{0}) == layers;
  const bool positive = std::ranges::all_of(given, [](int count) { return count >= 0; });
  const bool fits = given.size() == static_cast<std::size_t>(std::max(0, layout.pipeline));
  if (fits && !given.empty() && sums && positive) return given;
  if (layout.pipeline < 1) return {};
  const bool spread = sglang_number("stage-rest-spread", c.serve.version) != 0;
  if (!spread) return stage_layers(layers, layout.pipeline, StageRule::RestToLast);
  std::vector<int> stages(static_cast<std::size_t>(layout.pipeline), layers / layout.pipeline);
  const int rest = layers % layout.pipeline;
  for (int i = 0; i < rest; ++i) ++stages[stages.size() - 1 - static_cast<std::size_t>(i)];
  return stages;
}

}  // namespace sx
