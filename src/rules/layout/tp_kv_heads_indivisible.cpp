// SX2104. The long explanation and the scenes are in tp_kv_heads_indivisible.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "check/split_reasons.h"
#include "rules/layout/split_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{kv} KV heads cannot be shared out over {tp} GPUs",
                      "{kv} 个 KV 头无法平均分到 {tp} 张 GPU"};
constexpr Text kLeaves{"{kv} / {tp} leaves {left} over", "{kv} / {tp} 余 {left}"};
constexpr Text kCopies{"{tp} ranks for copies of {kv} KV heads: {tp} / {kv} leaves {left} over",
                       "{kv} 个 KV 头要复制到 {tp} 个 rank：{tp} / {kv} 余 {left}"};
constexpr Text kStrict{"{kv} / {tp} leaves {left} over, and {class} does not copy KV heads",
                       "{kv} / {tp} 余 {left}，而 {class} 不复制 KV 头"};
constexpr Text kBasis{"{kv} KV heads: {origin}", "{kv} 个 KV 头：{origin}"};
constexpr Text kBecause{
    "KV heads are shared out equally, or each is copied to the same number of ranks",
    "KV 头要么平均分给各 rank，要么每个头复制到同样多的 rank"};
constexpr Text kOtherwise{
    "while they build the model, before any weights, the ranks stop with a bare AssertionError",
    "各 rank 在构建模型时（尚未加载权重）以不带任何说明的 AssertionError 退出"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelKvHeads};
constexpr Need kDoubts[] = {Need::Layout};
constexpr auto kCovers = less_fundamental_than("SX2104");

Message label(const Case& c, const SplitProblem& reason) {
  const std::vector<Argument> numbers{
      {"kv", reason.size}, {"tp", reason.parts}, {"left", reason.left}};
  if (reason.size >= reason.parts) return {kLeaves, numbers};
  const bool copied = reason.left == reason.parts % reason.size;
  if (copied && reason.left != 0) return {kCopies, numbers};
  std::vector<Argument> all = numbers;
  all.emplace_back("class", c.model().architecture.value_or("the class"));
  return {kStrict, all};
}

std::vector<Complaint> check(const Case& c) {
  const auto reasons = split_reasons(c, {SplitKind::KvHeads});
  if (reasons.empty()) return {};
  const SplitProblem& reason = reasons.front();

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"kv", reason.size}, {"tp", reason.parts}}};
  mark_ranks(d, c, label(c, reason));
  also(d, c.model().kv_heads, {},
       {kBasis, {{"kv", reason.size}, {"origin", model_origin(c.model())}}});
  say_what_else(d, c, {SplitKind::Heads, SplitKind::KvHeads});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  propose_other_layouts(c, complaint, reason.kind);
  return {complaint};
}

}  // namespace

extern const Rule tp_kv_heads_indivisible{
    .code = "SX2104",
    .name = "tp-kv-heads-indivisible",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
