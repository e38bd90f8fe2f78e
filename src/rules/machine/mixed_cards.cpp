// SX5110. The long explanation and the scenes are in mixed_cards.md.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/free_memory.h"
#include "check/gpu_condition.h"
#include "check/rule_engines.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"unlike cards in one tensor group: {one} and {other}",
                      "同一张量并行组里的卡不同：{one} 和 {other}"};
constexpr Text kLabel{"tensor groups of {size} in the order of the GPUs",
                      "按 GPU 顺序每 {size} 张一组"};
constexpr Text kCard{"GPU {gpu}: {name}, {memory}", "GPU {gpu}：{name}，{memory}"};
constexpr Text kBecause{
    "each rank holds an equal part and waits for all others: the smallest memory and the slowest "
    "card count for all, and unlike cards mostly have no direct access to each other",
    "各 rank "
    "平分模型并互相等待：显存以最小的为准，速度以最慢的为准，而且不同的卡之间大多不能直接访问"};
constexpr Text kOtherwise{
    "it runs at the pace of the weaker card; formats that only one of them has end the start",
    "可以运行，但速度受较弱的卡限制；若某种格式只有其中一种卡支持，则启动时退出"};
constexpr Text kNoFix{"put like cards into one group, or use pipeline stages over unlike ones",
                      "让同类的卡组成一组，或在不同的卡之间使用流水线并行"};
constexpr Text kStages{"stages over unlike cards instead of splitting layers",
                       "改为流水线并行，不同的卡各负责若干层"};

constexpr Need kNeeds[] = {Need::Layout, Need::VisibleDevices};

struct Pair {
  const Gpu *one = nullptr, *other = nullptr;
};

// The first group with two kinds in it.
Pair unlike_pair(const std::vector<const Gpu*>& cards, int size) {
  const auto group = static_cast<std::size_t>(size);
  for (std::size_t begin = 0; begin + group <= cards.size(); begin += group) {
    for (std::size_t i = begin + 1; i < begin + group; ++i) {
      const auto &a = cards[begin]->name, &b = cards[i]->name;
      if (a.known() && b.known() && a.value() != b.value()) return {cards[begin], cards[i]};
    }
  }
  return {};
}

std::vector<Complaint> check(const Case& c) {
  const int size = c.serve.tensor_parallel.value();
  // Several machines: this one has a part of the groups only.
  if (size < 2 || c.serve.node_count.value_or(1) > 1) return {};
  const auto cards = gpus_of_launch(c);
  const Pair pair = unlike_pair(cards, size);
  if (pair.one == nullptr) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"one", pair.one->name.value()}, {"other", pair.other->name.value()}}};
  mark(d, c.serve.tensor_parallel, {kLabel, {{"size", size}}});
  for (const Gpu* card : {pair.one, pair.other}) {
    if (card->memory.known())
      d.basis.push_back(
          {kCard,
           {{"gpu", card->index}, {"name", card->name.value()}, {"memory", card->memory.value()}}});
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--tensor-parallel-size";
  d.no_fix = kNoFix;
  propose_other_cards(c, {}, complaint.proposals);
  // Two kinds, half and half, in order: one stage each.
  if (size % 2 == 0 && c.serve.pipeline_parallel.value() == 1) {
    const int half = size / 2;
    if (unlike_pair(cards, half).one == nullptr) {
      std::vector<Change> changes{set_flag("--pipeline-parallel-size", "2")};
      changes.push_back(half > 1 ? set_flag("--tensor-parallel-size", std::to_string(half))
                                 : remove_flag("--tensor-parallel-size"));
      complaint.proposals.push_back({kStages, std::move(changes), Safety::ChangesBehaviour});
    }
  }
  return {complaint};
}

}  // namespace

extern const Rule mixed_cards{
    .code = "SX5110",
    .name = "mixed-cards",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
