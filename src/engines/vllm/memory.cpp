// vLLM's memory, GPU by GPU: weights, the profile run, runtime and graphs come off a fraction of
// what the runtime sees; the rest is one pool of KV cache, and the engine's count of it is that of
// its tightest stage.
#include "engines/vllm/memory.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "engines/budget_parts.h"
#include "engines/context_limit.h"
#include "engines/learned_lines.h"
#include "engines/stage_weights.h"
#include "engines/vllm/memory_peak.h"
#include "engines/vllm/memory_pool.h"
#include "engines/vllm/memory_settings.h"
#include "fit/links.h"
#include "fit/weights.h"

namespace sx {
namespace {

constexpr Text kDraftLayers{"draft layers of the checkpoint", "检查点自带的草稿层"};
constexpr Text kLeftOut{"left out by --gpu-memory-utilization", "由 --gpu-memory-utilization 留出"};
constexpr Text kShapeOdd{"the model's layers, heads or widths make no sense",
                         "模型的层数、头数或宽度不合理"};
constexpr Text kDraftModel{"the draft model's memory is not counted", "未计入草稿模型的显存"};
constexpr Text kAdapters{"LoRA adapters are not counted", "未计入 LoRA 适配器"};
constexpr Text kLinksUnknown{"how GPUs are linked is not known: PCIe is taken",
                             "GPU 之间的连接方式未知：按 PCIe 计算"};

// Whether all ranks of a stage reach one another by NVLink: by the machine's own matrix, else by
// the kind of card.
bool linked_by_nvlink(const HostSpec& host, const std::vector<const Gpu*>& ranks) {
  const auto& classes = host.links.classes;
  const bool matrix = host.links.known();
  for (const Gpu* a : ranks) {
    if (!matrix && !a->nvlink.value_or(false)) return false;
    for (const Gpu* b : ranks) {
      if (!matrix || a->index == b->index) continue;
      const auto row = static_cast<std::size_t>(a->index),
                 column = static_cast<std::size_t>(b->index);
      if (row >= classes.size() || column >= classes[row].size()) return false;
      if (!is_nvlink(classes[row][column])) return false;
    }
  }
  return true;
}

struct Question {
  const Case& c;
  const Layout& layout;
  Shape shape;
  VllmSettings settings;
  std::vector<int> stages;
  std::vector<const Gpu*> gpus;  // in rank order within stage order

  int ranks_a_stage() const { return layout.tensor * layout.prefill_context; }
};

WeightsAsk weights_ask(const Question& q, const Gpu& gpu) {
  const SplitAsk split = vllm_split_ask(q.c, q.layout);
  return {.layout = q.layout,
          .stage_layers = q.stages,
          .quantization_flag = split.quantization_flag,
          .dtype_bytes = q.settings.dtype_bytes,
          .capability = gpu.capability.value_or({}),
          .vocabulary_padding = split.vocabulary_padding,
          .without_vision = !q.settings.with_vision,
          .whole_vision_tower = split.whole_vision_tower,
          .experts_over_data = split.expert_group != ExpertGroup::Tensor,
          .latent_products = vllm_does("latent-products", q.settings.version)};
}

BudgetLine weights_line(const Question& q, const RankWeights& weights) {
  BudgetLine line{.name = "weights",
                  .bytes = weights.bytes,
                  .low = weights.low,
                  .high = weights.high,
                  .origin = weights.origin,
                  .notes = weights.notes};
  return less_offloaded(std::move(line), q.c.serve.cpu_offload.value_or(Bytes{0}));
}

// The checkpoint's own draft layers: one decoder layer each and the matrix that joins two hidden
// states.
BudgetLine draft_line(const Question& q, const Gpu& gpu) {
  WeightsAsk ask = weights_ask(q, gpu);
  const auto of_layers = [&](int layers) {
    ask.stage_layers = {std::max(0, q.c.model().layers.value() - layers), layers};
    const auto weights = rank_weights(q.c.model(), ask);
    return weights.size() == 2 ? weights.back().bytes : Bytes{0};
  };
  const Bytes layer = std::max(of_layers(2) - of_layers(1), Bytes{0});
  const int count = std::max(1, q.c.model().draft_layers.value_or(1));
  const auto hidden = static_cast<double>(q.shape.hidden);
  const Bytes joined = whole_bytes(2 * hidden * hidden * q.settings.dtype_bytes);
  const Bytes all = whole_bytes(static_cast<double>((layer + joined).count()) * count);
  return {.name = "draft",
          .bytes = all,
          .low = Bytes{0},
          .high = all + all / 4,
          .notes = {kDraftLayers}};
}

// What the memory fraction leaves out; how much the runtime sees of a card is part of its
// uncertainty.
BudgetLine unused_line(const Question& q, const Gpu& gpu, Bytes capacity) {
  static const Notes kNotes{kLeftOut};  // shared by the lines of all GPUs
  const double fraction = q.settings.memory_fraction;
  const Bytes least = gpu.usable_low.value_or(capacity), most = gpu.usable_high.value_or(capacity);
  BudgetLine line{.name = "unused", .bytes = capacity - fraction_of(capacity, fraction)};
  line.low = line.bytes - fraction_of(std::max(most - capacity, Bytes{0}), fraction);
  line.high = line.bytes + fraction_of(std::max(capacity - least, Bytes{0}), fraction);
  line.origin =
      q.c.serve.memory_fraction.known() ? q.c.serve.memory_fraction.origin() : Origin::Default;
  line.notes = kNotes;
  return line;
}

bool stage_linked(const Question& q, int stage) {
  const auto begin = q.gpus.begin() + stage * q.ranks_a_stage();
  return linked_by_nvlink(q.c.host(), {begin, begin + q.ranks_a_stage()});
}

// What the launch says; else, of a machine that is only named, as many as hold its boards.
int machines_of(const Question& q, const Gpu& gpu) {
  const int said = q.c.serve.node_count.value_or(1);
  const Fact<int>& count = q.c.host().gpu_count;
  const bool seen = count.known() && count.origin() == Origin::Device;
  if (said > 1 || seen || !gpu.nvlink.value_or(false)) return std::max(said, 1);
  const auto each =
      std::max<std::size_t>(1, static_cast<std::size_t>(formula_constant("gpus-a-machine")));
  return static_cast<int>((q.gpus.size() + each - 1) / each);
}

GpuBudget spent_of(const Question& q, int rank, bool linked,
                   const std::vector<RankWeights>& weights) {
  const Gpu& gpu = *q.gpus[static_cast<std::size_t>(rank)];
  const int stage = rank / q.ranks_a_stage();
  const StagePlace place{.first = stage == 0,
                         .last = stage + 1 == q.layout.pipeline,
                         .driver = rank % q.ranks_a_stage() == 0,
                         .stages = q.layout.pipeline};
  const PeakAsk peak{.model = q.c.model(),
                     .shape = q.shape,
                     .settings = q.settings,
                     .layout = q.layout,
                     .gpu = gpu,
                     .place = place,
                     .nvlink = linked,
                     .machines = machines_of(q, gpu)};
  GpuBudget budget{.gpu = rank,
                   .stage = stage,
                   .rank = rank % q.ranks_a_stage(),
                   .capacity = gpu.usable.value()};
  constexpr std::size_t kLines = 7;  // with a draft, the pool, and what is left out
  budget.lines.reserve(kLines);
  budget.lines.push_back(weights_line(q, weights[static_cast<std::size_t>(stage)]));
  if (q.settings.draft_layers && place.last) budget.lines.push_back(draft_line(q, gpu));
  budget.lines.push_back(activation_line(peak));
  budget.lines.push_back(graph_line(peak));
  budget.lines.push_back(runtime_line(peak));
  return budget;
}

// What stands beside the weights hangs on a card and on where its stage is: those of a stage before
// hold for one that lies alike.
GpuBudget spent_as(const Question& q, const GpuBudget& other, int rank,
                   const std::vector<RankWeights>& weights) {
  GpuBudget budget = other;
  budget.gpu = rank;
  budget.stage = rank / q.ranks_a_stage();
  budget.rank = rank % q.ranks_a_stage();
  budget.lines.front() = weights_line(q, weights[static_cast<std::size_t>(budget.stage)]);
  return budget;
}

// Ranks of a stage differ only by their cards: weights are worked out once for each capability.
std::vector<RankWeights> weights_for(const Question& q, const Gpu& gpu) {
  return rank_weights(q.c.model(), weights_ask(q, gpu));
}

// Cards that a rank's lines cannot tell apart.
bool alike(const Gpu& a, const Gpu& b) {
  const auto size = [](const Gpu& gpu) {
    return std::tuple(gpu.usable.value(), gpu.usable_low.value_or(Bytes{0}),
                      gpu.usable_high.value_or(Bytes{0}), gpu.multiprocessors.value_or(0));
  };
  const auto name = [](const Gpu& gpu) {
    return gpu.name.known() ? std::string_view(gpu.name.value()) : std::string_view{};
  };
  return name(a) == name(b) && size(a) == size(b) &&
         a.capability.value_or({}) == b.capability.value_or({});
}

struct Spent {
  GpuBudget gpu;
  bool twin = false;  // in all but its number the one before
};

std::vector<Spent> spent(const Question& q) {
  std::vector<Spent> gpus;
  gpus.reserve(q.gpus.size());
  std::vector<RankWeights> weights;
  const Gpu* last = nullptr;
  // Of the newest stage: whether NVLink joins it. And the newest rank that began a stage which does
  // not sample.
  bool linked = false, began_linked = false;
  std::optional<std::size_t> began;
  for (std::size_t rank = 0; rank < q.gpus.size(); ++rank) {
    const Gpu& gpu = *q.gpus[rank];
    const bool same =
        last != nullptr && last->capability.value_or({}) == gpu.capability.value_or({});
    if (!same) weights = weights_for(q, gpu);
    const int place = static_cast<int>(rank) % q.ranks_a_stage();
    // Only the first rank of a stage draws tokens in V0.
    const bool twin = place > (q.settings.v0 ? 1 : 0) && alike(*last, gpu);
    last = &gpu;
    if (weights.size() != q.stages.size()) return {};
    if (twin) {
      gpus.push_back({.gpu = gpus.back().gpu, .twin = true});
      gpus.back().gpu.gpu = static_cast<int>(rank);
      gpus.back().gpu.rank = place;
      continue;
    }
    const int stage = static_cast<int>(rank) / q.ranks_a_stage();
    if (place == 0) linked = stage_linked(q, stage);
    const bool samples = stage + 1 == q.layout.pipeline;
    if (began && !samples && began_linked == linked && alike(*q.gpus[*began], gpu)) {
      gpus.push_back({spent_as(q, gpus[*began].gpu, static_cast<int>(rank), weights)});
      continue;
    }
    gpus.push_back({spent_of(q, static_cast<int>(rank), linked, weights)});
    if (place > 0 || samples) continue;
    began = rank;
    began_linked = linked;
  }
  return gpus;
}

std::vector<GpuBudget> with_pools(const Question& q, std::vector<Spent> spent,
                                  const LearnedRun* learned) {
  std::vector<GpuBudget> gpus;
  gpus.reserve(spent.size());
  for (auto& [gpu, twin] : spent) {
    // What was learned is told for each GPU.
    if (twin && learned == nullptr) {
      gpus.push_back(gpus.back());
      gpus.back().gpu = gpu.gpu;
      gpus.back().rank = gpu.rank;
      continue;
    }
    const Gpu& card = *q.gpus[static_cast<std::size_t>(gpu.gpu)];
    const BudgetLine unused = unused_line(q, card, gpu.capacity);
    if (learned != nullptr) gpu = with_learned(std::move(gpu), unused.bytes, *learned);
    gpus.push_back(with_pool(std::move(gpu), unused, q.c.serve.kv_cache_bytes));
  }
  return gpus;
}

std::vector<Message> assumptions_of(const Question& q) {
  std::vector<Message> all = common_assumptions(q.c, q.shape, q.gpus.size());
  if (q.settings.draft_model) all.push_back(kDraftModel);
  if (q.c.serve.use_of("--enable-lora") != nullptr) all.push_back(kAdapters);
  const bool links_matter = q.layout.tensor > 1 && !q.c.host().links.known();
  const bool undecided =
      std::ranges::any_of(q.gpus, [](const Gpu* gpu) { return !gpu->nvlink.known(); });
  if (links_matter && undecided) all.push_back(kLinksUnknown);
  return all;
}

// All but the settings.
std::expected<Question, NoBudget> placed(const Case& c, const Layout& layout) {
  const auto shape = shape_for_budget(c.model());
  if (!shape) return std::unexpected(shape.error());
  const auto ranks = std::int64_t{layout.tensor} * layout.pipeline * layout.prefill_context;
  auto found = gpus_for_budget(c, ranks);
  if (!found) return std::unexpected(std::move(found.error()));
  return Question{.c = c,
                  .layout = layout,
                  .shape = *shape,
                  .settings = {},
                  .stages = vllm_stages(c, layout),
                  .gpus = std::move(*found)};
}

std::expected<Question, NoBudget> question_of(const Case& c, const Layout& layout) {
  auto q = placed(c, layout);
  if (q) q->settings = vllm_settings(c, *q->gpus.front());
  return q;
}

std::vector<GpuBudget> with_weights(const Question& q) {
  std::vector<GpuBudget> gpus;
  gpus.reserve(q.gpus.size());
  std::vector<RankWeights> weights;
  const Gpu* last = nullptr;
  for (std::size_t rank = 0; rank < q.gpus.size(); ++rank) {
    const Gpu& gpu = *q.gpus[rank];
    const bool same =
        last != nullptr && last->capability.value_or({}) == gpu.capability.value_or({});
    if (!same) weights = weights_for(q, gpu);
    last = &gpu;
    if (weights.size() != q.stages.size()) return {};
    const int number = static_cast<int>(rank);
    const int stage = number / q.ranks_a_stage();
    GpuBudget budget{.gpu = number,
                     .stage = stage,
                     .rank = number % q.ranks_a_stage(),
                     .capacity = gpu.usable.value()};
    budget.lines.reserve(2);
    budget.lines.push_back(weights_line(q, weights[static_cast<std::size_t>(stage)]));
    budget.lines.push_back(unused_line(q, gpu, budget.capacity));
    gpus.push_back(std::move(budget));
  }
  return gpus;
}

// Whether what stands beside the weights may tell GPUs apart that these lines leave alike: stages
// take more or less for a step, and so do other cards of the same size.
bool others_may_differ(const Question& q, const std::vector<GpuBudget>& gpus) {
  const bool one_place =
      q.layout.pipeline == 1 &&
      std::ranges::all_of(q.gpus, [&q](const Gpu* gpu) { return alike(*q.gpus.front(), *gpu); });
  return !one_place && std::ranges::all_of(gpus, [&gpus](const GpuBudget& gpu) {
    return gpu.capacity == gpus.front().capacity &&
           std::ranges::equal(gpu.lines, gpus.front().lines, {}, &BudgetLine::bytes,
                              &BudgetLine::bytes);
  });
}

}  // namespace

std::expected<Budget, NoBudget> vllm_budget(const Case& c, const Layout& layout) {
  auto asked = question_of(c, layout);
  if (!asked) return std::unexpected(std::move(asked.error()));
  const Question& q = *asked;
  std::vector<GpuBudget> gpus = with_pools(q, spent(q), learned_run(c, layout));
  if (gpus.empty()) return std::unexpected(NoBudget{kShapeOdd});
  Budget budget = pooled({.model = c.model(),
                          .layout = layout,
                          .stages = q.stages,
                          .settings = q.settings,
                          .most = own_context(c.serve, c.model())},
                         std::move(gpus));
  budget.assumptions = assumptions_of(q);
  return budget;
}

std::optional<Budget> vllm_weights_alone(const Case& c, const Layout& layout) {
  if (c.serve.kv_cache_bytes.known() || learned_run(c, layout) != nullptr) return {};
  // Where V0 may be in force, the first rank of a stage takes more than its fellows.
  if (layout.tensor > 1 && constant("vllm", "runtime-v0-tp", c.serve.version)) return {};
  auto q = placed(c, layout);
  if (!q) return {};
  q->settings = vllm_loading(c);
  if (q->settings.draft_layers) return {};
  Budget budget{.gpus = with_weights(*q), .weights_alone = true};
  if (budget.gpus.empty() || others_may_differ(*q, budget.gpus)) return {};
  return budget;
}

std::vector<RankWeights> vllm_stage_weights(const Case& c, const Layout& layout) {
  const auto q = question_of(c, layout);
  if (!q) return {};
  return heaviest_of_stages(
      {.gpus = q->gpus,
       .stages = q->stages.size(),
       .ranks_a_stage = static_cast<std::size_t>(q->ranks_a_stage())},
      [&](const Gpu& gpu) { return weights_for(*q, gpu); },
      [&](const RankWeights& weights) { return weights_line(*q, weights); });
}

}  // namespace sx
