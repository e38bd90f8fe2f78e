// SX3101. The long explanation and the scenes are in oom_weights_too_big.md.
#include <vector>

#include "check/layouts.h"
#include "check/memory_fixes.h"
#include "check/memory_verdict.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/memory/memory_titles.h"
#include "rules/memory/memory_words.h"

namespace sx::rules {
namespace {

constexpr Text kOnOne{"{total} in all, on one GPU", "共 {total}，全部放在一张 GPU 上"};
constexpr Text kOverSeveral{"{total} in all, over {ranks} GPUs", "共 {total}，分到 {ranks} 张 GPU"};
constexpr Text kBecause{
    "every rank holds its part of the weights in GPU memory all the time, before anything else "
    "gets room",
    "每个 rank 都要把自己那部分权重一直放在显存里，之后才轮到其他用途"};
constexpr Text kWhileLoading{
    "\"CUDA out of memory\" while the weights are loaded, after seconds to minutes",
    "加载权重期间报“CUDA out of memory”，在启动后几秒到几分钟"};
constexpr Text kAfterLoading{
    "after loading all weights, often minutes, the engine exits: \"No available memory for the "
    "cache blocks\"",
    "加载完全部权重之后（往往要几分钟），引擎退出：“No available memory for the cache blocks”"};

constexpr OfEngine kAfterLoadingOf[] = {
    {"sglang",
     {"after loading all weights, often minutes, the ranks stop: \"Not enough memory. Please try "
      "to increase --mem-fraction-static\"",
      "加载完全部权重之后（往往要几分钟），各 rank 退出：“Not enough memory. Please try to "
      "increase "
      "--mem-fraction-static”"}}};

constexpr Need kNeeds[] = {Need::MemoryBudget};
constexpr Need kDoubts[] = {Need::MemoryBudget};

Bytes total(const Budget& budget) {
  Bytes sum;
  for (const GpuBudget& gpu : budget.gpus) sum += weights_of(gpu).bytes;
  return sum;
}

void propose(const Case& c, Complaint& complaint) {
  auto& proposals = complaint.proposals;
  LayoutProposals layouts = layouts_by_context(c);
  auto siblings = sibling_proposals(c);
  const bool somewhere = !layouts.whole.empty();
  take(layouts.whole, 2, proposals);
  take(siblings, 1, proposals);
  add_way_out(c, WayOut::LargerShare, proposals);
  add_way_out(c, WayOut::EightBitWeights, proposals);
  take(layouts.shorter, 1, proposals);
  take(siblings, 1, proposals);
  take(layouts.whole, 4, proposals);
  if (!somewhere) complaint.diagnostic.no_fix = what_would_fit(c);
}

std::vector<Complaint> check(const Case& c) {
  const auto verdict = memory_verdict(c);
  if (!verdict || verdict->what != MemoryBreak::Weights) return {};

  Complaint complaint;
  complaint.severity = severity_of(c, *verdict);
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = title_of(c, *verdict, verdict->budget);
  const std::size_t ranks = verdict->budget.gpus.size();
  const Argument all("total", total(verdict->budget));
  mark_split(c, d,
             ranks == 1 ? Message(kOnOne, {all}) : Message(kOverSeveral, {all, {"ranks", ranks}}));
  tell_weights(c, *verdict, d);
  tell_share(c, *verdict, d);
  d.because = kBecause;
  const bool loads = weights_of(verdict->at()).bytes <= verdict->at().capacity;
  d.otherwise = loads ? of_engine(c.serve, kAfterLoadingOf, kAfterLoading) : kWhileLoading;
  d.subject = "weights";
  if (!c.asked_again) propose(c, complaint);
  return {complaint};
}

}  // namespace

extern const Rule oom_weights_too_big{
    .code = "SX3101",
    .name = "oom-weights-too-big",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
