// SX3116. The long explanation and the scenes are in recurrent_state_caps_requests.md.
#include <algorithm>
#include <cmath>
#include <optional>
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
    "room for {fit} requests of {short} tokens at once, and --max-num-seqs lets {most} in",
    "{short} 个 token 的请求最多同时容纳 {fit} 个，而 --max-num-seqs 允许 {most} 个"};
constexpr Text kLabel{"each of them pins {state} of every GPU's pool before its first token",
                      "每个请求在第一个 token 之前，就在每张 GPU 的缓存池里占住 {state}"};
constexpr Text kOwn{"--max-num-seqs: {most}, the engine's default",
                    "--max-num-seqs：{most}，引擎的默认值"};
constexpr Text kBecause{
    "linear-attention layers keep one state a request, whatever its length, and a page of the pool "
    "is made as large as one state",
    "线性注意力层为每个请求保存一份状态，大小与长度无关；缓存池的页也放大到能装下一份状态"};
constexpr Text kOtherwise{
    "it works; requests above that wait in the queue, or are preempted and worked on again, while "
    "the count of KV-cache tokens in the log looks ample",
    "可以运行；超出的请求会排队，或被抢占后重算，而日志里的 KV 缓存 token 数看上去很充裕"};
constexpr Text kHonest{"at most {fit} requests at once, which is what the pool holds",
                       "最多 {fit} 个请求同时运行，正好是缓存池的容量"};
constexpr Text kNoPrefixes{
    "without prefix caching each request pins one state less: room for {fit} at once",
    "关闭前缀缓存，每个请求少占一份状态：可同时容纳 {fit} 个"};

// Of an engine that keeps the states in a pool apart, and lowers its limit to what fits.
constexpr Text kTitleSlots{"recurrent states for {fit} requests at once, and {flag} lets {most} in",
                           "循环状态只够 {fit} 个请求同时使用，而 {flag} 允许 {most} 个"};
constexpr Text kTitleOwn{"recurrent states for {fit} requests at once",
                         "循环状态只够 {fit} 个请求同时使用"};
constexpr Text kLabelSlots{"each of them takes {state} of every GPU's pool of states",
                           "每个请求要占用每张 GPU 状态池中的 {state}"};
constexpr Text kBecauseSlots{
    "linear-attention layers keep their states in a pool of a fixed number of slots; a request "
    "takes one, and more of them while prefixes are cached",
    "线性注意力层的状态放在槽位数固定的池里；每个请求占一个槽位，启用前缀缓存时还要多占几个"};
constexpr Text kOtherwiseSlots{
    "it works; the limit is lowered to what fits with one line in the log, and requests above that "
    "wait in the queue",
    "可以运行；引擎把上限降到能容纳的数目，日志里只有一行说明，超出的请求排队等待"};
constexpr Text kHonestSlots{"at most {fit} requests at once, which is what the states allow",
                            "最多 {fit} 个请求同时运行，正好是状态池的容量"};
constexpr Text kNoPrefixesSlots{
    "without prefix caching a request takes one slot: room for {fit} at once",
    "关闭前缀缓存，每个请求只占一个槽位：可同时容纳 {fit} 个"};

constexpr Need kNeeds[] = {Need::MemoryBudget};

// A short prompt and a short answer; our choice.
constexpr std::int64_t kShortRequest = 1024;
// "Far above": twice as many as fit were asked for; our choice.
constexpr int kFar = 2;
// With the engine's own number nothing was asked: a word only where few fit at all; our choice.
constexpr std::int64_t kFew = 16;
// Prefix caching is worth much: to give it up must bring more than this; our choice.
constexpr double kWorthIt = 1.3;

// Requests of this length that the pool holds at once.
std::optional<std::int64_t> requests_at_once(const Case& c, std::vector<Change> changes,
                                             std::int64_t length) {
  changes.push_back(set_flag("--max-model-len", std::to_string(length)));
  const auto again = asked_again(c, changes);
  const auto budget = again ? budget_of(*again) : std::nullopt;
  if (!budget || !(budget->max_concurrency >= 1)) return {};
  return static_cast<std::int64_t>(std::floor(budget->max_concurrency));
}

// What one request pins whatever its length, on the GPU with the least room.
Bytes state_of_request(const Budget& budget) {
  const BudgetLine* state = budget.tightest().line("state");
  if (state == nullptr) return {};
  const double requests =
      std::min(budget.max_concurrency, static_cast<double>(std::max(1, budget.max_num_seqs)));
  if (!(requests > 0)) return {};
  return Bytes{static_cast<std::int64_t>(static_cast<double>(state->bytes.count()) / requests)};
}

// Numbers that a person would write.
std::int64_t round_number(std::int64_t count) {
  if (count >= 128) return count / 32 * 32;
  return count >= 16 ? count / 8 * 8 : count;
}

void propose(const Case& c, std::int64_t length, std::int64_t fit, Complaint& complaint) {
  const std::int64_t honest = round_number(fit);
  complaint.proposals.push_back({.title = {kHonest, {{"fit", honest}}},
                                 .changes = {set_flag("--max-num-seqs", std::to_string(honest))},
                                 .safety = Safety::ChangesBehaviour});
  if (c.serve.prefix_caching.known() && !c.serve.prefix_caching.value()) return;
  const std::vector<Change> off{add_switch("--no-enable-prefix-caching")};
  const auto more = requests_at_once(c, off, length);
  if (!more || static_cast<double>(*more) < kWorthIt * static_cast<double>(fit)) return;
  // Only as far as it goes: the number of requests is brought down to what then fits.
  const std::int64_t then = round_number(*more);
  std::vector<Change> changes = off;
  changes.push_back(set_flag("--max-num-seqs", std::to_string(then)));
  complaint.proposals.push_back({.title = {kNoPrefixes, {{"fit", then}}},
                                 .changes = std::move(changes),
                                 .safety = Safety::Trades});
}

// The engine has lowered the number itself: what is left of it is what the slots hold.
void propose_slots(const Case& c, std::int64_t fit, Complaint& complaint) {
  const std::int64_t groups = c.serve.attention_data_parallel.value_or(1);
  if (c.serve.max_num_seqs.asked()) {
    const std::int64_t honest = round_number(fit);
    complaint.proposals.push_back({.title = {kHonestSlots, {{"fit", honest}}},
                                   .changes = {set_flag("--max-num-seqs", std::to_string(honest))},
                                   .safety = Safety::ChangesBehaviour});
  }
  // A request then takes one slot instead of a few, and the pool has as many as there are requests.
  for (const int more : {4, 3, 2}) {
    const std::int64_t then = round_number(fit * more);
    std::vector<Change> changes{add_switch("--no-enable-prefix-caching"),
                                set_flag("--max-num-seqs", std::to_string(then))};
    const auto again = asked_again(c, changes);
    const auto budget = again ? budget_of(*again) : std::nullopt;
    if (!budget || budget->max_num_seqs * groups < then) continue;
    complaint.proposals.push_back({.title = {kNoPrefixesSlots, {{"fit", then}}},
                                   .changes = std::move(changes),
                                   .safety = Safety::Trades});
    return;
  }
}

std::vector<Complaint> of_slots(const Case& c, const Budget& budget, Bytes state) {
  // The number is one group's, the flag is about all of them.
  const std::int64_t fit =
      std::int64_t{budget.max_num_seqs} * c.serve.attention_data_parallel.value_or(1);
  const bool asked = c.serve.max_num_seqs.asked();
  if (fit < 1 || (asked ? fit * kFar > c.serve.max_num_seqs.value() : fit >= kFew)) return {};
  Complaint complaint;
  complaint.severity = asked ? Severity::Warning : Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  const Message label{kLabelSlots, {{"state", state}}};
  if (asked) {
    d.title = {kTitleSlots,
               {{"fit", fit},
                {"flag", own_flag(c.serve, "--max-num-seqs")},
                {"most", c.serve.max_num_seqs.value()}}};
    mark(d, c.serve.max_num_seqs, label);
  } else {
    d.title = {kTitleOwn, {{"fit", fit}}};
    mark(d, c.serve.model, label);
  }
  d.because = kBecauseSlots;
  d.otherwise = kOtherwiseSlots;
  d.subject = "--max-num-seqs";
  if (!c.asked_again) propose_slots(c, fit, complaint);
  return {complaint};
}

std::vector<Complaint> check(const Case& c) {
  const auto budget = budget_of(c);
  if (!budget || budget->gpus.empty() || memory_verdict(c)) return {};
  if (c.serve.engine == kOfSglang.front()) {
    const BudgetLine* states = budget->tightest().line("state");
    if (states == nullptr || budget->max_num_seqs < 1) return {};
    return of_slots(c, *budget, Bytes{states->bytes.count() / budget->max_num_seqs});
  }
  const Bytes state = state_of_request(*budget);
  if (state <= Bytes{0}) return {};
  const std::int64_t length = std::min(kShortRequest, budget->max_model_len.count());
  const auto fit = requests_at_once(c, {}, length);
  if (!fit || *fit * kFar > budget->max_num_seqs) return {};
  const bool asked = c.serve.max_num_seqs.asked();
  if (!asked && *fit >= kFew) return {};

  Complaint complaint;
  complaint.severity = asked ? Severity::Warning : Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = {kTitle, {{"fit", *fit}, {"short", length}, {"most", budget->max_num_seqs}}};
  if (asked) {
    mark(d, c.serve.max_num_seqs, {kLabel, {{"state", state}}});
  } else {
    mark(d, c.serve.model, {kLabel, {{"state", state}}});
    d.basis.push_back({kOwn, {{"most", budget->max_num_seqs}}});
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--max-num-seqs";
  if (!c.asked_again) propose(c, length, *fit, complaint);
  return {complaint};
}

}  // namespace

extern const Rule recurrent_state_caps_requests{
    .code = "SX3116",
    .name = "recurrent-state-caps-requests",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
