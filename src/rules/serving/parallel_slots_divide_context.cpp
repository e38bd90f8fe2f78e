// SX8110. The long explanation and the scenes are in parallel_slots_divide_context.md.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

// A system prompt, some tools and a few turns of a chat fill this; below it requests are refused
// that work with one slot.
constexpr std::int64_t kShortContext = 4096;

constexpr Text kTitle{"each of {slots} slots gets {share} tokens of the {context}",
                      "{slots} 个槽位平分 {context} 个 token 的上下文，每个只有 {share}"};
constexpr Text kShare{"of all slots together: {context} / {slots} = {share} tokens a request",
                      "是所有槽位的总和：{context} / {slots} = 每个请求 {share} 个 token"};
constexpr Text kSlots{"{slots} slots", "{slots} 个槽位"};
constexpr Text kBecause{
    "the context is shared out evenly among the slots, unless they share one "
    "cache",
    "除非各槽位共用一个缓存，上下文会在槽位之间平分"};
constexpr Text kOtherwise{
    "it starts; a request of more than {share} tokens is answered 400: "
    "\"exceed_context_size_error\"",
    "能启动；但超过 {share} 个 token 的请求会得到 400：“exceed_context_size_error”"};
constexpr Text kUnified{
    "one cache for all slots: each request may use all of it while others are "
    "short",
    "所有槽位共用一个缓存：其他请求较短时，一个请求可以用满"};
constexpr Text kWhole{"{context} tokens for each slot: {all} in all, which takes more memory",
                      "每个槽位 {context} 个 token：共 {all}，占用更多显存"};

constexpr Need kNeeds[] = {Need::Flags};

bool shares_one_cache(const ServeSpec& serve) {
  if (serve.use_of("--kv-unified-per-slot") != nullptr) return true;
  const FlagUse* use = serve.use_of("--kv-unified");
  return use != nullptr && !use->negated;
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (!serve.max_model_len.asked() || !serve.max_num_seqs.asked()) return {};
  const std::int64_t context = serve.max_model_len.value().count();
  const int slots = serve.max_num_seqs.value();
  if (slots < 2 || shares_one_cache(serve)) return {};
  const std::int64_t share = context / slots;
  // Who asks for a short context as a whole wants short requests.
  if (share >= kShortContext || context < kShortContext) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const std::vector<Argument> numbers{{"slots", slots}, {"share", share}, {"context", context}};
  d.title = {kTitle, numbers};
  mark(d, serve.max_model_len, {kShare, numbers});
  mark(d, serve.max_num_seqs, {kSlots, {{"slots", slots}}});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {{"share", share}}};
  d.subject = "--ctx-size";
  complaint.proposals.push_back({.title = kUnified, .changes = {add_switch("--kv-unified")}});
  const std::int64_t all = context * slots;
  if (context < 1'000'000'000 && all <= std::numeric_limits<std::int32_t>::max()) {
    complaint.proposals.push_back({.title = {kWhole, {{"context", context}, {"all", all}}},
                                   .changes = {set_flag("--ctx-size", std::to_string(all))},
                                   .safety = Safety::Trades});
  }
  return {complaint};
}

}  // namespace

extern const Rule parallel_slots_divide_context{
    .code = "SX8110",
    .name = "parallel-slots-divide-context",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
