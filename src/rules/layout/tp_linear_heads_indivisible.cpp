// SX2115. The long explanation and the scenes are in tp_linear_heads_indivisible.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "check/split_reasons.h"
#include "rules/layout/split_words.h"

namespace sx::rules {
namespace {

constexpr Text kKeyTitle{"{heads} linear-attention key heads cannot be split over {tp} GPUs",
                         "{heads} 个线性注意力 key 头无法平均分到 {tp} 张 GPU"};
constexpr Text kValueTitle{"{heads} linear-attention value heads cannot be split over {tp} GPUs",
                           "{heads} 个线性注意力 value 头无法平均分到 {tp} 张 GPU"};
constexpr Text kLeaves{"{heads} / {tp} leaves {left} over", "{heads} / {tp} 余 {left}"};
constexpr Text kBasis{"{keys} key heads, {values} value heads of linear attention: {origin}",
                      "线性注意力有 {keys} 个 key 头、{values} 个 value 头：{origin}"};
constexpr Text kBecause{
    "the linear-attention layers of a hybrid model are shared out by their own heads",
    "混合模型的线性注意力层按它自己的头来切分"};
constexpr Text kOtherwise{
    "while they build the model, before any weights, the ranks stop: \"… is not divisible by "
    "{tp}\"",
    "各 rank 在构建模型时（尚未加载权重）退出：“… is not divisible by {tp}”"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelHeads};
constexpr Need kDoubts[] = {Need::Layout};
constexpr auto kCovers = less_fundamental_than("SX2115");

std::vector<Complaint> check(const Case& c) {
  const auto reasons = split_reasons(c, {SplitKind::LinearHeads});
  if (reasons.empty()) return {};
  const SplitProblem& reason = reasons.front();
  const ModelSpec& model = c.model();
  const bool keys = reason.tensor == "linear key heads";

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {keys ? kKeyTitle : kValueTitle, {{"heads", reason.size}, {"tp", reason.parts}}};
  mark_ranks(d, c,
             {kLeaves, {{"heads", reason.size}, {"tp", reason.parts}, {"left", reason.left}}});
  also(d, keys ? model.linear_key_heads : model.linear_value_heads, {},
       {kBasis,
        {{"keys", model.linear_key_heads.value_or(0)},
         {"values", model.linear_value_heads.value_or(0)},
         {"origin", model_origin(model)}}});
  say_what_else(d, c, {SplitKind::Heads, SplitKind::KvHeads, SplitKind::LinearHeads});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {{"tp", reason.parts}}};
  propose_other_layouts(c, complaint, reason.kind);
  return {complaint};
}

}  // namespace

extern const Rule tp_linear_heads_indivisible{
    .code = "SX2115",
    .name = "tp-linear-heads-indivisible",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
