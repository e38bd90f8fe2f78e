// SX3102. The long explanation and the scenes are in no_kv_blocks.md.
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

constexpr Text kPoolLabel{"{spent} are taken before it, of {card}",
                          "在它之前已占 {spent}，显存共 {card}"};
constexpr Text kSplitLabel{"{weights} of weights on {where}", "{where} 的权重 {weights}"};
constexpr Text kSequencesLabel{"sets how much the sampler and CUDA graphs take",
                               "决定采样器和 CUDA graph 占多少"};
constexpr Text kStepsLabel{"sets how much activations take", "决定激活值占多少"};
constexpr Text kBecause{
    "KV cache gets what weights, activations, CUDA graphs and runtime leave of the share; with no "
    "block of it, no "
    "request can run",
    "KV 缓存只能用可用显存中权重、激活值、CUDA graph "
    "和运行时占剩的部分；一个块都没有，就无法处理任何请求"};
constexpr Text kPoolBecause{"a KV cache of a given size is allocated whole, whatever is left",
                            "给定大小的 KV 缓存会整块分配，不管还剩多少"};
constexpr Text kOtherwise{
    "after loading all weights and a trial step, often minutes, the engine exits: \"No available "
    "memory for the cache blocks\"",
    "加载完全部权重并试运行一步之后（往往要几分钟），引擎退出：“No available memory for the cache "
    "blocks”"};
constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"after loading all weights, often minutes, the ranks stop: \"Not enough memory. Please try "
      "to increase --mem-fraction-static\"",
      "加载完全部权重之后（往往要几分钟），各 rank 退出：“Not enough memory. Please try to "
      "increase "
      "--mem-fraction-static”"}}};
constexpr Text kPoolOtherwise{
    "\"CUDA out of memory\" when the KV cache is allocated, after all weights are loaded",
    "权重全部加载完后，在分配 KV 缓存时报“CUDA out of memory”"};
constexpr Text kLessPool{"a KV cache of {pool}, which fits", "把 KV 缓存改为 {pool}，放得下"};

constexpr Need kNeeds[] = {Need::MemoryBudget};
constexpr Need kDoubts[] = {Need::MemoryBudget};

void propose(const Case& c, const MemoryVerdict& verdict, Complaint& complaint) {
  auto& proposals = complaint.proposals;
  if (verdict.asked_pool > Bytes{0}) {
    const Bytes left = verdict.at().capacity - spent_before_cache(verdict.at()).high;
    const std::int64_t whole = left / gib(1);
    if (whole > 0) {
      proposals.push_back({{kLessPool, {{"pool", gib(whole)}}},
                           {set_flag("--kv-cache-memory-bytes",
                                     std::to_string(whole) + "G")},  // G is 2^30 to the engine
                           Safety::ChangesBehaviour});
    }
  }
  LayoutProposals layouts = layouts_by_context(c);
  auto siblings = sibling_proposals(c);
  const bool somewhere = !layouts.whole.empty();
  take(layouts.whole, 1, proposals);
  if (verdict.asked_pool == Bytes{0}) {
    for (const WayOut way : {WayOut::FewerSequences, WayOut::ShorterSteps, WayOut::LargerShare})
      add_way_out(c, way, proposals);
  }
  take(siblings, 1, proposals);
  if (verdict.asked_pool == Bytes{0}) {
    for (const WayOut way : {WayOut::TextOnly, WayOut::EightBitWeights, WayOut::NoGraphs})
      add_way_out(c, way, proposals);
  }
  take(layouts.whole, 4, proposals);
  take(layouts.shorter, 1, proposals);
  if (!somewhere) complaint.diagnostic.no_fix = what_would_fit(c);
}

void tell_pool(const Case& c, const MemoryVerdict& verdict, Diagnostic& d) {
  const Bytes spent = spent_before_cache(verdict.at()).bytes;
  mark(d, c.serve.kv_cache_bytes,
       {kPoolLabel, {{"spent", spent}, {"card", verdict.at().capacity}}});
  d.because = kPoolBecause;
  d.otherwise = kPoolOtherwise;
}

void tell_rest(const Case& c, const MemoryVerdict& verdict, Diagnostic& d) {
  if (!c.serve.memory_fraction.span()) {
    mark_split(c, d,
               {kSplitLabel, {where(c, verdict), {"weights", weights_of(verdict.at()).bytes}}});
  }
  tell_share(c, verdict, d);
  if (c.serve.max_num_seqs.asked()) mark(d, c.serve.max_num_seqs, kSequencesLabel);
  if (c.serve.max_batched_tokens.asked()) mark(d, c.serve.max_batched_tokens, kStepsLabel);
  d.because = kBecause;
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
}

std::vector<Complaint> check(const Case& c) {
  const auto verdict = memory_verdict(c);
  if (!verdict || verdict->what != MemoryBreak::NoRoom) return {};

  Complaint complaint;
  complaint.severity = severity_of(c, *verdict);
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = title_of(c, *verdict, verdict->budget);
  tell_parts(c, *verdict, d);
  if (verdict->asked_pool > Bytes{0}) {
    tell_pool(c, *verdict, d);
  } else {
    tell_rest(c, *verdict, d);
  }
  d.subject = "kv-cache";
  if (!c.asked_again) propose(c, *verdict, complaint);
  return {complaint};
}

}  // namespace

extern const Rule no_kv_blocks{
    .code = "SX3102",
    .name = "no-kv-blocks",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
