// Shared beginnings of the engines' budgets.
#include "engines/budget_parts.h"

#include <algorithm>

namespace sx {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

constexpr Text kOffloaded{"the rest is offloaded to host memory", "其余卸载到内存"};
constexpr Text kModelUnknown{"the model's shape is not known", "模型的结构未知"};
constexpr Text kShapeOdd{"the model's layers, heads or widths are not known or make no sense",
                         "模型的层数、头数或宽度未知或不合理"};
constexpr Text kLayersUnlike{
    "layers of {type} models differ from one another; their memory is not worked out here",
    "{type} 模型各层结构不同，这里不计算它的显存"};
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

// Far above any launch on one machine; a list of this many lines is of no use to anybody.
constexpr std::int64_t kMostRanks = 1024;

std::unexpected<NoBudget> no_budget(Message why) {
  return std::unexpected(NoBudget{std::move(why)});
}

}  // namespace

std::expected<Shape, NoBudget> shape_for_budget(const ModelSpec& model) {
  if (auto shape = shape_of(model)) return std::move(*shape);
  const std::string type = model.model_type.value_or("");
  if (layers_unlike(type)) return no_budget({kLayersUnlike, {{"type", type}}});
  return no_budget(model.why_unknown.empty() ? Message(kShapeOdd) : Message(kModelUnknown));
}

std::expected<std::vector<const Gpu*>, NoBudget> gpus_for_budget(const Case& c,
                                                                 std::int64_t ranks) {
  if (!c.visible.known || c.visible.gpus.empty()) return no_budget(kNoGpu);
  if (ranks < 1 || ranks > kMostRanks) return no_budget({kTooManyRanks, {{"ranks", ranks}}});
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<const Gpu*> gpus;
  gpus.reserve(count);
  for (const int index : c.visible.gpus) {
    if (gpus.size() == count) break;
    const auto found = std::ranges::find(c.host().gpus, index, &Gpu::index);
    if (found != c.host().gpus.end()) gpus.push_back(&*found);
  }
  if (gpus.empty()) return no_budget(kNoGpu);
  while (gpus.size() < count) gpus.push_back(gpus.back());
  for (const Gpu* gpu : gpus) {
    if (!gpu->usable.known() || gpu->usable.value() <= Bytes{0})
      return no_budget({kNoMemory, {{"gpu", gpu->index}}});
  }
  return gpus;
}

std::vector<Message> common_assumptions(const Case& c, const Shape& shape, std::size_t ranks) {
  std::vector<Message> all;
  const auto visible = c.visible.gpus.size();
  if (visible < ranks) all.push_back({kFewGpus, {{"have", visible}, {"want", ranks}}});
  if (shape.width_guessed) all.push_back(kWidthGuessed);
  if (shape.vocabulary == 0) all.push_back(kVocabularyGuessed);
  return all;
}

BudgetLine line_of_gib(std::string_view name, const Constant& gib, Notes notes) {
  return {.name = name,
          .bytes = whole_bytes(gib.value * kGib),
          .low = whole_bytes(gib.low * kGib),
          .high = whole_bytes(gib.high * kGib),
          .origin = gib.origin == "assumed" ? Origin::Assumed : Origin::Measured,
          .notes = std::move(notes)};
}

BudgetLine less_offloaded(BudgetLine weights, Bytes offloaded) {
  if (offloaded <= Bytes{0}) return weights;
  for (Bytes* bytes : {&weights.bytes, &weights.low, &weights.high}) {
    *bytes = std::max(*bytes - std::min(offloaded, *bytes), Bytes{0});
  }
  weights.notes.add(kOffloaded);
  return weights;
}

}  // namespace sx
