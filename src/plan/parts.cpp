// The tower is on the first stage; what it costs whole is told beside what it costs cut.
#include "plan/parts.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "fit/vision_tower.h"
#include "plan/launches.h"

namespace sx {
namespace {

constexpr Text kTower{"vision tower", "视觉编码器"};
constexpr Text kLanguage{"language model", "语言模型"};

constexpr Text kOnOne{"vision tower: whole, {bytes}, on each of GPUs {gpus}",
                      "视觉编码器：完整的一份 {bytes}，位于 GPU {gpus}（每张一份）"};
constexpr Text kOnOneGpu{"vision tower: {bytes}, on GPU {gpus}",
                         "视觉编码器：{bytes}，位于 GPU {gpus}"};
constexpr Text kCut{"vision tower: cut over the tensor ranks, {bytes} on each of GPUs {gpus}",
                    "视觉编码器：按张量并行 rank 切分，GPU {gpus} 每张 {bytes}"};
constexpr Text kCutOrWhole{
    "vision tower: cut over the tensor ranks, {bytes} on each of GPUs {gpus}; {flag} would keep it "
    "whole on each: {more} more a GPU ({tokens} tokens less of KV cache), for no all-reduce in it "
    "and pictures of a batch that are shared out",
    "视觉编码器：按张量并行 rank 切分，GPU {gpus} 每张 {bytes}；改用 {flag} 则每张放完整的一份："
    "每张多占 {more}（KV 缓存少 {tokens} 个 token），换来编码器内没有 all-reduce，一批图片分摊到各 "
    "rank"};
constexpr Text kWhole{
    "vision tower: {flag} keeps it whole on each of GPUs {gpus}, {bytes} each, as its {heads} "
    "heads "
    "do not split over {tensor} ranks; pictures of a batch are shared out instead",
    "视觉编码器：{heads} 个头无法平均分到 {tensor} 个 rank，因此用 {flag} 让 GPU {gpus} "
    "各放完整的一份（每张 {bytes}），改为分摊一批里的图片"};

std::string words_of(const Change& change) {
  return change.value.empty() ? change.name : change.name + ' ' + change.value;
}

// GPUs of the first stage of every replica.
std::vector<int> first_stages(const Plan& plan, int pipeline) {
  std::vector<int> gpus;
  for (std::size_t i = 0; i < plan.gpus.size(); i += static_cast<std::size_t>(pipeline))
    gpus.insert(gpus.end(), plan.gpus[i].begin(), plan.gpus[i].end());
  return gpus;
}

struct Tower {
  Bytes here, whole;  // on each GPU that has some of it
  bool cut = false;
};

// Nothing where it is not known how it is laid.
std::optional<Tower> tower_of(const Case& c, const Draft& draft) {
  const LaunchShape& shape = draft.candidate.shape;
  const Fact<int>& heads = c.model().vision.heads;
  if (!heads.known() || heads.value() <= 0 || draft.stages.empty() || c.serve.split_mode.known())
    return {};
  const bool whole = c.serve.encoder_data_parallel.value_or(false);
  if (!whole && heads.value() % shape.tensor != 0) return {};
  WeightsAsk ask{.layout = shape.layout(), .stage_layers = draft.stages, .quantization_flag = {}};
  ask.whole_vision_tower = whole;
  const auto here = vision_on_ranks(c.model(), ask);
  ask.whole_vision_tower = true;
  const auto all = vision_on_ranks(c.model(), ask);
  if (here.empty() || all.empty() || here.front() <= Bytes{}) return {};
  return Tower{here.front(), all.front(), !whole && shape.tensor > 1};
}

// Tokens of KV cache that so many bytes of the first stage's cards would hold.
Tokens tokens_in(Bytes bytes, const Budget& budget) {
  for (const GpuBudget& gpu : budget.gpus) {
    if (gpu.stage == 0 && gpu.bytes_per_token > 0)
      return Tokens{bytes.count() / gpu.bytes_per_token};
  }
  return {};
}

Message note_of(const Plan& plan, const Case& c, const Draft& draft, const Tower& tower,
                std::string gpus) {
  const LaunchShape& shape = draft.candidate.shape;
  const Argument bytes("bytes", tower.here), where("gpus", gpus);
  const auto data = whole_tower_change(c);
  const std::string flag = data ? words_of(*data) : "";
  if (shape.tensor == 1)
    return {gpus.find(',') == std::string::npos ? kOnOneGpu : kOnOne, {bytes, where}};
  if (!tower.cut)
    return {kWhole,
            {bytes,
             where,
             {"flag", flag},
             {"heads", c.model().vision.heads.value()},
             {"tensor", shape.tensor}}};
  const Bytes more = tower.whole - tower.here;
  if (!data || more <= Bytes{}) return {kCut, {bytes, where}};
  return {
      kCutOrWhole,
      {bytes, where, {"flag", flag}, {"more", more}, {"tokens", tokens_in(more, plan.budget())}}};
}

}  // namespace

void add_parts(Plan& plan, const Case& c, const Draft& draft) {
  const auto tower = tower_of(c, draft);
  if (!tower) return;
  const std::vector<int> first = first_stages(plan, draft.candidate.shape.pipeline);
  std::vector<int> all;
  Bytes most;
  for (const auto& group : plan.gpus) all.insert(all.end(), group.begin(), group.end());
  for (const GpuBudget& gpu : plan.budget().gpus) {
    const BudgetLine* weights = gpu.line("weights");
    if (weights == nullptr) continue;
    most = std::max(most, weights->bytes - (gpu.stage == 0 ? tower->here : Bytes{}));
  }
  const bool several = draft.candidate.shape.tensor > 1 || draft.candidate.shape.pipeline > 1;
  plan.parts.push_back({kTower, tower->here, first, tower->cut});
  plan.parts.push_back({kLanguage, most, all, several});
  plan.notes.push_back(note_of(plan, c, draft, *tower, join(first)));
}

}  // namespace sx
