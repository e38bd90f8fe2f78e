// SX4135. The long explanation and the scenes are in context_above_training.md.
#include <optional>
#include <string>
#include <vector>

#include "check/memory_verdict.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/run_rules.h"
#include "check/speak.h"
#include "knowledge/context_stretch.h"
#include "rules/model/llama_slots.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"a slot gets {slot} tokens, and the model was trained for {trained}",
                      "每个槽位 {slot} 个 token，而模型只训练到 {trained} 个"};
constexpr Text kLabel{"{over} tokens a slot that no request can use",
                      "每个槽位有 {over} 个 token 没有请求能用到"};
constexpr Text kWaste{"{wasted} of memory for them, on all GPUs together",
                      "为此白占 {wasted} 显存（所有 GPU 合计）"};
constexpr Text kTrained{"trained for {trained} tokens: {origin}",
                        "训练长度 {trained} 个 token：{origin}"};
constexpr Text kBecause{
    "the cache is made as large as asked, and each slot is then capped to what the model was "
    "trained for",
    "缓存按要求的大小分配，随后每个槽位再限制到模型的训练长度"};
constexpr Text kOtherwise{
    "it starts with a line in the log, \"the slot context exceeds the training context of the "
    "model - capping\"; longer requests are answered 400. Builds before the cap of late 2025 serve "
    "them, and the answers turn to noise behind the limit",
    "能启动，日志里只有一行“the slot context exceeds the training context of the model - "
    "capping”；更长的请求得到 400。2025 年底加上限制之前的构建会照常处理，超出部分的回答变成乱码"};
constexpr Text kLimit{
    "stay within what the model was trained for: {context} tokens for {slots} "
    "slots",
    "不超过模型的训练长度：{slots} 个槽位共 {context} 个 token"};
constexpr Text kLimitOne{"stay within what the model was trained for: {context} tokens",
                         "不超过模型的训练长度：{context} 个 token"};
constexpr Text kStretch{
    "stretch the context with YaRN, factor {factor}, as the model's makers describe; short prompts "
    "lose a little",
    "按模型作者的说明用 YaRN 扩展上下文（factor {factor}）；短提示词的质量略有下降"};

constexpr Need kNeeds[] = {Need::ModelContext};

// Contexts are rounded up to whole blocks of the cache: so much above the limit is nobody's wish;
// our choice.
constexpr std::int64_t kRounding = 256;

bool has(const ServeSpec& serve, std::string_view flag) {
  const FlagUse* use = serve.use_of(flag);
  return use != nullptr && !use->negated;
}

// The user has taken positions into their own hands, or the metadata that says the limit.
bool stretched(const ServeSpec& serve) {
  if (serve.rope_overridden.value_or(true)) return true;
  return has(serve, "--yarn-orig-ctx") || has(serve, "--override-kv");
}

std::optional<Bytes> wasted(const Case& c, std::int64_t context, std::int64_t usable) {
  const auto now = budget_of(c);
  const std::vector<Change> changes{set_flag("--ctx-size", std::to_string(usable))};
  const auto again = asked_again(c, changes);
  const auto less = again ? budget_of(*again) : std::nullopt;
  if (!now || !less || now->gpus.size() != less->gpus.size() || context <= usable) return {};
  Bytes sum;
  for (std::size_t i = 0; i < now->gpus.size(); ++i) {
    const BudgetLine* of_now = now->gpus[i].line("kv_cache");
    const BudgetLine* of_less = less->gpus[i].line("kv_cache");
    if (of_now == nullptr || of_less == nullptr) return {};
    sum += of_now->bytes - of_less->bytes;
  }
  return sum > Bytes{0} ? std::optional(sum) : std::nullopt;
}

std::optional<Proposal> with_yarn(const Case& c, std::int64_t slot) {
  const auto stretch = context_stretch(c.model().id);
  if (!stretch || stretch->native < 1) return {};
  const std::int64_t factor = slot / stretch->native + (slot % stretch->native == 0 ? 0 : 1);
  if (factor < 2 || factor > stretch->factor) return {};
  return Proposal{.title = {kStretch, {{"factor", factor}}},
                  .changes = {set_flag("--rope-scaling", "yarn"),
                              set_flag("--rope-scale", std::to_string(factor)),
                              set_flag("--yarn-orig-ctx", std::to_string(stretch->native))},
                  .safety = Safety::Trades};
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (!serve.max_model_len.asked() || stretched(serve)) return {};
  const std::int64_t context = serve.max_model_len.value().count();
  const std::int64_t trained = c.model().max_positions.value().count();
  const auto apart = slots_apart(serve);
  if (!apart) return {};
  const std::int64_t slots = *apart;
  const std::int64_t slot = context / slots;
  if (trained < 1 || slot - kRounding <= trained) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"slot", Tokens{slot}}, {"trained", Tokens{trained}}}};
  mark(d, serve.max_model_len, {kLabel, {{"over", Tokens{slot - trained}}}});
  also(d, c.model().max_positions, {},
       {kTrained, {{"trained", Tokens{trained}}, {"origin", model_origin(c.model())}}});
  const std::int64_t usable = trained * slots;
  if (const auto bytes = wasted(c, context, usable))
    d.basis.push_back({kWaste, {{"wasted", *bytes}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--ctx-size";
  const Message within = slots > 1 ? Message{kLimit, {{"context", usable}, {"slots", slots}}}
                                   : Message{kLimitOne, {{"context", usable}}};
  complaint.proposals.push_back(
      {.title = within, .changes = {set_flag("--ctx-size", std::to_string(usable))}});
  if (auto yarn = with_yarn(c, slot)) complaint.proposals.push_back(*std::move(yarn));
  return {complaint};
}

}  // namespace

extern const Rule context_above_training{
    .code = "SX4135",
    .name = "context-above-training",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
