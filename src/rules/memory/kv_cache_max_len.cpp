// SX3103. The long explanation and the scenes are in kv_cache_max_len.md.
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

constexpr Text kLabel{"one request of this length takes {need} on {where}, and {left} are left",
                      "一个这样长的请求：{where} 需要 {need}，剩余 {left}"};
constexpr Text kOwnLabel{
    "{length} tokens is the model's own limit: {need} on {where}, and {left} are left",
    "{length} 个 token 是模型自身的上限：{where} 需要 {need}，剩余 {left}"};
constexpr Text kLongest{
    "room for {low} to {high} tokens of KV cache; the longest context that fits is about {tokens}",
    "KV 缓存可容 {low} 到 {high} 个 token；放得下的最长上下文约 {tokens} 个"};
constexpr Text kGivenPool{"the KV cache is {pool}, as {flag} says",
                          "KV 缓存为 {pool}，由 {flag} 指定"};
constexpr Text kBecause{
    "the engine starts only when at least one request of the full context fits its KV cache",
    "只有 KV 缓存至少能容纳一个最长上下文的请求，引擎才会启动"};
constexpr Text kOtherwise{
    "after loading all weights, often minutes, the engine exits and asks for a larger "
    "--gpu-memory-utilization or a smaller --max-model-len",
    "加载完全部权重之后（往往要几分钟）引擎退出，并提示增大 --gpu-memory-utilization 或减小 "
    "--max-model-len"};
// It starts with what there is, and refuses the requests that are too long for it.
constexpr OfEngine kBecauseOf[] = {
    {"sglang",
     {"a request must fit the KV cache whole; the start does not ask whether the longest one does",
      "一个请求必须整个放进 KV 缓存；启动时不会检查最长的请求是否放得下"}}};
constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"it starts all the same; requests of more than about {tokens} tokens are refused, or cut "
      "short",
      "照样启动；超过约 {tokens} 个 token 的请求会被拒绝或提前截断"}}};
constexpr Text kMorePool{"a KV cache of {pool}, enough for one request of {length} tokens",
                         "把 KV 缓存改为 {pool}，够放一个 {length} 个 token 的请求"};

// Few prompts and answers fit a shorter one: it is offered behind what keeps the whole context.
constexpr Tokens kUsefulContext{4096};

constexpr Need kNeeds[] = {Need::MemoryBudget};

// What one request takes of the pool of the GPU that is short of it.
Bytes bytes_of_request(const MemoryVerdict& verdict) {
  const GpuBudget& gpu = verdict.at();
  const Budget& budget = verdict.budget;
  const bool mixed = gpu.line("state") != nullptr;  // a token's bytes alone do not tell
  if (mixed && budget.kv_tokens > Tokens{0}) {
    const auto part = static_cast<double>(budget.request_tokens.count()) /
                      static_cast<double>(budget.kv_tokens.count());
    return Bytes{static_cast<std::int64_t>(static_cast<double>(gpu.kv_bytes.count()) * part)};
  }
  return Bytes{gpu.bytes_per_token * budget.request_tokens.count()};
}

void propose_larger_pool(const MemoryVerdict& verdict, std::vector<Proposal>& proposals) {
  if (verdict.asked_pool == Bytes{0}) return;
  const std::int64_t whole = bytes_of_request(verdict) / gib(1) + 1;
  if (spent_before_cache(verdict.at()).high + gib(whole) > verdict.at().capacity) return;
  proposals.push_back(
      {{kMorePool, {{"pool", gib(whole)}, {"length", verdict.budget.max_model_len}}},
       {set_flag("--kv-cache-memory-bytes",
                 std::to_string(whole) + "G")},  // G is 2^30 to the engine
       Safety::ChangesBehaviour});
}

void propose(const Case& c, const MemoryVerdict& verdict, Complaint& complaint) {
  auto& proposals = complaint.proposals;
  propose_larger_pool(verdict, proposals);
  LayoutProposals layouts = layouts_by_context(c);
  const bool somewhere = !layouts.whole.empty();
  take(layouts.whole, 1, proposals);
  // What was asked for and takes the room comes before what is worth having.
  if (c.serve.max_num_seqs.asked())
    add_way_out(c, WayOut::FewerSequences, proposals, Context::Whole);
  if (c.serve.max_batched_tokens.asked())
    add_way_out(c, WayOut::ShorterSteps, proposals, Context::Whole);
  add_way_out(c, WayOut::EightBitCache, proposals);
  const bool useful = verdict.least_tokens >= kUsefulContext;
  if (useful) add_way_out(c, WayOut::ShorterContext, proposals);
  add_way_out(c, WayOut::LargerShare, proposals, Context::Whole);
  if (!c.serve.max_num_seqs.asked())
    add_way_out(c, WayOut::FewerSequences, proposals, Context::Whole);
  add_way_out(c, WayOut::TextOnly, proposals, Context::Whole);
  add_way_out(c, WayOut::EightBitWeights, proposals, Context::Whole);
  for (Proposal& sibling : sibling_proposals(c)) proposals.push_back(std::move(sibling));
  if (!useful) add_way_out(c, WayOut::ShorterContext, proposals);
  take(layouts.whole, 4, proposals);
  if (!somewhere) complaint.diagnostic.no_fix = what_would_fit(c);
}

std::vector<Complaint> check(const Case& c) {
  const auto verdict = memory_verdict(c);
  if (!verdict || verdict->what != MemoryBreak::TooShort) return {};
  // What nobody asked for and only may not fit is worth no word.
  if (!verdict->certain && !stands_in_the_way(c, *verdict)) return {};

  Complaint complaint;
  complaint.severity = severity_of(c, *verdict);
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = title_of(c, *verdict, verdict->budget);
  const Budget& budget = verdict->budget;
  std::vector<Argument> numbers{
      where(c, *verdict), {"need", bytes_of_request(*verdict)}, {"left", verdict->at().kv_bytes}};
  if (c.serve.max_model_len.span()) {
    mark(d, c.serve.max_model_len, {kLabel, numbers});
  } else {
    numbers.emplace_back("length", budget.max_model_len);
    mark(d, c.serve.model, {kOwnLabel, numbers});
  }
  tell_parts(c, *verdict, d);
  tell_share(c, *verdict, d);
  if (verdict->asked_pool > Bytes{0}) {
    d.basis.push_back(
        {kGivenPool,
         {{"pool", verdict->asked_pool}, {"flag", own_flag(c.serve, "--kv-cache-memory-bytes")}}});
  } else {
    d.basis.push_back({kLongest,
                       {{"tokens", budget.longest_possible},
                        {"low", verdict->least_tokens},
                        {"high", budget.kv_tokens_high}}});
  }
  d.because = of_engine(c.serve, kBecauseOf, kBecause);
  d.otherwise = {of_engine(c.serve, kOtherwiseOf, kOtherwise), {{"tokens", budget.kv_tokens}}};
  d.subject = "--max-model-len";
  if (!c.asked_again) propose(c, *verdict, complaint);
  return {complaint};
}

}  // namespace

extern const Rule kv_cache_max_len{
    .code = "SX3103",
    .name = "kv-cache-max-len",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
