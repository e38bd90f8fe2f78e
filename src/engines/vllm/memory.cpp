// vLLM's memory, GPU by GPU: weights, the profile run, runtime and graphs come off a fraction of
// what the runtime sees; the rest is one pool of KV cache, and the engine's count of it is that of
// its tightest stage.
#include "engines/vllm/memory.h"

#include <algorithm>
#include <string>

#include "engines/vllm/memory_peak.h"
#include "engines/vllm/memory_pool.h"
#include "engines/vllm/memory_settings.h"
#include "fit/weights.h"

namespace sx {
namespace {

constexpr Text kOffloaded{"the rest is offloaded to host memory", "其余卸载到内存"};
constexpr Text kDraftLayers{"draft layers of the checkpoint", "检查点自带的草稿层"};
constexpr Text kLeftOut{"left out by --gpu-memory-utilization", "由 --gpu-memory-utilization 留出"};
constexpr Text kModelUnknown{"the model's shape is not known", "模型的结构未知"};
constexpr Text kShapeOdd{"the model's layers, heads or widths are not known or make no sense",
                         "模型的层数、头数或宽度未知或不合理"};
constexpr Text kNoGpu{"no GPU of this machine is known to the launch", "启动命令可见的 GPU 未知"};
constexpr Text kNoMemory{"the memory of GPU {gpu} is not known", "GPU {gpu} 的显存未知"};
constexpr Text kTooManyRanks{"{ranks} ranks are more than a budget is worked out for",
                             "{ranks} 个 rank 超出了显存预算的计算范围"};
constexpr Text kFewGpus{
    "{have} GPUs are visible, the layout takes {want}: the others are taken to be alike",
    "可见 {have} 张 GPU，布局需要 {want} 张：其余按相同的卡计算"};
constexpr Text kWidthGuessed{"the MLP width is not known: weights are a guess",
                             "MLP 宽度未知：权重为猜测值"};
constexpr Text kVocabularyGuessed{"the vocabulary is not known: a large one is taken",
                                  "词表大小未知：按大词表计算"};
constexpr Text kDraftModel{"the draft model's memory is not counted", "未计入草稿模型的显存"};
constexpr Text kAdapters{"LoRA adapters are not counted", "未计入 LoRA 适配器"};
constexpr Text kLinksUnknown{"how GPUs are linked is not known: PCIe is taken",
                             "GPU 之间的连接方式未知：按 PCIe 计算"};

// Far above any launch on one machine; a list of this many lines is of no use to anybody.
constexpr int kMostRanks = 1024;

std::unexpected<NoBudget> no_budget(Message why) {
  return std::unexpected(NoBudget{std::move(why)});
}

// The GPUs of replica 0 in rank order: the visible ones in the process's own numbering.
std::vector<const Gpu*> gpus_of(const Case& c, int count) {
  std::vector<const Gpu*> gpus;
  for (const int index : c.visible.gpus) {
    if (static_cast<int>(gpus.size()) == count) break;
    const auto found = std::ranges::find(c.host().gpus, index, &Gpu::index);
    if (found != c.host().gpus.end()) gpus.push_back(&*found);
  }
  while (!gpus.empty() && static_cast<int>(gpus.size()) < count) gpus.push_back(gpus.back());
  return gpus;
}

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
      if (!classes[row][column].starts_with("NV")) return false;
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
          .whole_vision_tower = split.whole_vision_tower};
}

BudgetLine weights_line(const Question& q, const RankWeights& weights) {
  BudgetLine line{.name = "weights",
                  .bytes = weights.bytes,
                  .low = weights.low,
                  .high = weights.high,
                  .origin = weights.origin,
                  .notes = weights.notes};
  const Bytes offloaded = q.c.serve.cpu_offload.value_or(Bytes{0});
  if (offloaded <= Bytes{0}) return line;
  const auto less = [offloaded](Bytes bytes) {
    return std::max(bytes - std::min(offloaded, bytes), Bytes{0});
  };
  line.bytes = less(line.bytes);
  line.low = less(line.low);
  line.high = less(line.high);
  line.notes.emplace_back(kOffloaded);
  return line;
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
  const double fraction = q.settings.memory_fraction;
  const Bytes least = gpu.usable_low.value_or(capacity), most = gpu.usable_high.value_or(capacity);
  BudgetLine line{.name = "unused", .bytes = capacity - fraction_of(capacity, fraction)};
  line.low = line.bytes - fraction_of(std::max(most - capacity, Bytes{0}), fraction);
  line.high = line.bytes + fraction_of(std::max(capacity - least, Bytes{0}), fraction);
  line.origin =
      q.c.serve.memory_fraction.known() ? q.c.serve.memory_fraction.origin() : Origin::Default;
  line.notes = {kLeftOut};
  return line;
}

GpuBudget spent_of(const Question& q, int rank, const std::vector<RankWeights>& weights) {
  const Gpu& gpu = *q.gpus[static_cast<std::size_t>(rank)];
  const int stage = rank / q.ranks_a_stage();
  const StagePlace place{
      .first = stage == 0, .last = stage + 1 == q.layout.pipeline, .stages = q.layout.pipeline};
  const auto begin = q.gpus.begin() + stage * q.ranks_a_stage();
  const PeakAsk peak{.model = q.c.model(),
                     .shape = q.shape,
                     .settings = q.settings,
                     .layout = q.layout,
                     .gpu = gpu,
                     .place = place,
                     .nvlink = linked_by_nvlink(q.c.host(), {begin, begin + q.ranks_a_stage()}),
                     .machines = q.c.serve.node_count.value_or(1)};
  GpuBudget budget{.gpu = rank,
                   .stage = stage,
                   .rank = rank % q.ranks_a_stage(),
                   .capacity = gpu.usable.value()};
  budget.lines.push_back(weights_line(q, weights[static_cast<std::size_t>(stage)]));
  if (q.settings.draft_layers && place.last) budget.lines.push_back(draft_line(q, gpu));
  budget.lines.push_back(activation_line(peak));
  budget.lines.push_back(graph_line(peak));
  budget.lines.push_back(runtime_line(peak));
  return budget;
}

// Ranks of a stage differ only by their cards: weights are worked out once for each capability.
std::vector<RankWeights> weights_for(const Question& q, const Gpu& gpu) {
  return rank_weights(q.c.model(), weights_ask(q, gpu));
}

std::vector<GpuBudget> spent(const Question& q) {
  std::vector<GpuBudget> gpus;
  std::vector<RankWeights> weights;
  const Gpu* last = nullptr;
  for (std::size_t rank = 0; rank < q.gpus.size(); ++rank) {
    const Gpu& gpu = *q.gpus[rank];
    const bool same =
        last != nullptr && last->capability.value_or({}) == gpu.capability.value_or({});
    if (!same) weights = weights_for(q, gpu);
    last = &gpu;
    if (weights.size() != q.stages.size()) return {};
    gpus.push_back(spent_of(q, static_cast<int>(rank), weights));
  }
  return gpus;
}

std::vector<Message> assumptions_of(const Question& q) {
  std::vector<Message> all;
  const auto visible = q.c.visible.gpus.size();
  if (visible < q.gpus.size())
    all.push_back({kFewGpus, {{"have", visible}, {"want", q.gpus.size()}}});
  if (q.shape.width_guessed) all.push_back(kWidthGuessed);
  if (q.shape.vocabulary == 0) all.push_back(kVocabularyGuessed);
  if (q.settings.draft_model) all.push_back(kDraftModel);
  if (q.c.serve.use_of("--enable-lora") != nullptr) all.push_back(kAdapters);
  const bool links_matter = q.layout.tensor > 1 && !q.c.host().links.known();
  const bool undecided =
      std::ranges::any_of(q.gpus, [](const Gpu* gpu) { return !gpu->nvlink.known(); });
  if (links_matter && undecided) all.push_back(kLinksUnknown);
  return all;
}

}  // namespace

std::expected<Budget, NoBudget> vllm_budget(const Case& c, const Layout& layout) {
  const auto shape = shape_of(c.model());
  if (!shape)
    return no_budget(c.model().why_unknown.empty() ? Message(kShapeOdd) : Message(kModelUnknown));
  if (!c.visible.known || c.visible.gpus.empty()) return no_budget(kNoGpu);
  const auto ranks = std::int64_t{layout.tensor} * layout.pipeline * layout.prefill_context;
  if (ranks < 1 || ranks > kMostRanks) return no_budget({kTooManyRanks, {{"ranks", ranks}}});

  Question q{.c = c,
             .layout = layout,
             .shape = *shape,
             .settings = {},
             .stages = vllm_stages(c, layout),
             .gpus = gpus_of(c, static_cast<int>(ranks))};
  if (q.gpus.empty()) return no_budget(kNoGpu);
  for (const Gpu* gpu : q.gpus) {
    if (!gpu->usable.known() || gpu->usable.value() <= Bytes{0})
      return no_budget({kNoMemory, {{"gpu", gpu->index}}});
  }
  q.settings = vllm_settings(c, q.shape, *q.gpus.front());
  std::vector<GpuBudget> gpus = spent(q);
  if (gpus.empty()) return no_budget(kShapeOdd);
  for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
    const BudgetLine unused = unused_line(q, *q.gpus[rank], gpus[rank].capacity);
    gpus[rank] = with_pool(std::move(gpus[rank]), unused, c.serve.kv_cache_bytes);
  }
  Budget budget = pooled({.model = c.model(),
                          .layout = layout,
                          .stages = q.stages,
                          .settings = q.settings,
                          .most = q.shape.positions},
                         std::move(gpus));
  budget.assumptions = assumptions_of(q);
  return budget;
}

}  // namespace sx
