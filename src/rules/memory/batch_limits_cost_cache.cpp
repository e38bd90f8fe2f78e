// SX3117. The long explanation and the scenes are in batch_limits_cost_cache.md.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/memory_verdict.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/run_rules.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "{flag} {asked} leaves {now} tokens of KV cache; {smaller} would leave {then}",
    "{flag} 为 {asked} 时，KV 缓存只剩 {now} 个 token；设为 {smaller} 则有 {then} 个"};
constexpr Text kSequences{
    "{each} tokens of KV cache for each of them; the sampler and CUDA graphs "
    "are sized for all",
    "平均每个请求只有 {each} 个 token 的 KV "
    "缓存；采样器和 CUDA graph 按全部请求预留"};
constexpr Text kSteps{"{now} are left for KV cache: activations of a step this long come first",
                      "KV 缓存只剩 {now}：这么长的一步要先扣掉激活值"};
constexpr Text kBecause{
    "the largest step that the limits allow is run once at start-up, and what it takes is kept "
    "free from then on",
    "启动时会按这些上限试运行最大的一步，它占用的显存从此一直留空"};
// An engine that keeps memory free by a formula over its limits instead of by trying.
constexpr OfEngine kBecauseOf[] = {
    {"sglang",
     {"without --mem-fraction-static the engine works the share out itself, and keeps memory free "
      "for each token of a step",
      "没有给出 --mem-fraction-static 时，引擎自己推算显存占比，为一步中的每个 token 都留出显存"}}};
constexpr Text kOtherwise{
    "it works; the cache fills up before the limit is reached, and requests wait or are preempted",
    "可以运行，但缓存会先于这个上限用完，请求只能排队或被抢占"};
constexpr Text kOtherwiseSteps{"it works, with fewer requests at once than the card could hold",
                               "可以运行，但能同时处理的请求比显卡本可容纳的少"};
constexpr Text kSmaller{"{flag} {smaller}: KV cache for {then} tokens instead of {tokens}",
                        "{flag} 设为 {smaller}：KV 缓存可容 {then} 个 token，而不是 {tokens} 个"};

constexpr Need kNeeds[] = {Need::MemoryBudget};

// Part of the cache that is worth a word; our choice.
constexpr double kMuch = 0.25;
// Below it a sequence cannot hold more than a short question and its answer: then it warns; our
// choice.
constexpr std::int64_t kFewTokens = 512;

struct Limit {
  std::string_view flag;
  std::int64_t usual;            // up to it the number is an ordinary one; our choice
  std::span<const int> smaller;  // largest first
};
constexpr std::array kFewer{512, 256, 128, 64};
constexpr std::array kShorter{16384, 8192, 4096, 2048};

struct Gain {
  int value;
  Tokens tokens;
};

// The smaller value after which no further step down brings much: each step on the way gives the
// cache so much more that it matters.
std::optional<Gain> gain_of(const Case& c, const Limit& limit, std::int64_t asked, Tokens now,
                            std::int64_t least) {
  if (asked <= limit.usual) return {};
  std::optional<Gain> best;
  for (const int value : limit.smaller) {
    if (value >= asked || value < least) continue;
    const std::vector<Change> changes{set_flag(std::string(limit.flag), std::to_string(value))};
    const auto again = asked_again(c, changes);
    const auto budget = again ? budget_of(*again) : std::nullopt;
    if (!budget) continue;
    const Tokens before = best ? best->tokens : now;
    const auto then = static_cast<double>(budget->kv_tokens.count());
    if (static_cast<double>(before.count()) <= (1 - kMuch) * then)
      best = Gain{value, budget->kv_tokens};
  }
  return best;
}

Complaint complaint_about(const Case& c, const Budget& budget, const Limit& limit,
                          std::int64_t asked, const Gain& gain) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  const Tokens now = budget.kv_tokens;
  const std::string flag = own_flag(c.serve, limit.flag);
  d.title = {kTitle,
             {{"flag", flag},
              {"asked", asked},
              {"now", now},
              {"smaller", gain.value},
              {"then", gain.tokens}}};
  const bool sequences = limit.flag == "--max-num-seqs";
  if (sequences) {
    const std::int64_t each = now.count() / asked;
    mark(d, c.serve.max_num_seqs, {kSequences, {{"each", each}}});
    if (each < kFewTokens) complaint.severity = Severity::Warning;
  } else {
    mark(d, c.serve.max_batched_tokens, {kSteps, {{"now", budget.tightest().kv_bytes}}});
  }
  d.because = of_engine(c.serve, kBecauseOf, kBecause);
  d.otherwise = sequences ? kOtherwise : kOtherwiseSteps;
  d.subject = limit.flag;
  complaint.proposals.push_back(
      {.title = {kSmaller,
                 {{"flag", flag}, {"smaller", gain.value}, {"then", gain.tokens}, {"tokens", now}}},
       .changes = {set_flag(std::string(limit.flag), std::to_string(gain.value))}});
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (serve.kv_cache_bytes.known()) return {};  // then the cache is what it was said to be
  if (!serve.max_num_seqs.asked() && !serve.max_batched_tokens.asked()) return {};
  const auto budget = budget_of(c);
  // Where too little is left the rules about that say so, and propose the same.
  if (!budget || budget->gpus.empty() || budget->kv_tokens <= Tokens{0} || memory_verdict(c))
    return {};
  std::vector<Complaint> complaints;
  const auto judge = [&](const Limit& limit, std::int64_t asked, std::int64_t least) {
    if (const auto gain = gain_of(c, limit, asked, budget->kv_tokens, least))
      complaints.push_back(complaint_about(c, *budget, limit, asked, *gain));
  };
  // The sampler's memory of an engine with a formula does not grow with the requests.
  const bool by_trial = std::ranges::find(kOfVllm, serve.engine) != kOfVllm.end();
  if (serve.max_num_seqs.asked() && by_trial)
    judge({.flag = "--max-num-seqs", .usual = 256, .smaller = kFewer}, budget->max_num_seqs, 1);
  if (serve.max_batched_tokens.asked()) {
    // Where a step holds prompts and running requests, a token of each has to fit.
    judge({.flag = "--max-num-batched-tokens", .usual = 8192, .smaller = kShorter},
          budget->max_batched_tokens.count(), by_trial ? budget->max_num_seqs : 1);
  }
  return complaints;
}

}  // namespace

extern const Rule batch_limits_cost_cache{
    .code = "SX3117",
    .name = "batch-limits-cost-cache",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
