// SX2110. The long explanation and the scenes are in tp_exceeds_experts.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/layout/split_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{tp} tensor-parallel ranks are more than the {experts} experts",
                      "{tp} 个张量并行 rank 多于 {experts} 个专家"};
constexpr Text kLabel{"{experts} experts for {tp} ranks", "{experts} 个专家分给 {tp} 个 rank"};
constexpr Text kBasis{"{experts} experts, {class}: {origin}",
                      "{experts} 个专家，{class}：{origin}"};
constexpr Text kBecause{
    "this model class wants an expert for each tensor-parallel rank, also without expert "
    "parallelism",
    "即使不用专家并行，这一模型类也要求每个张量并行 rank 至少有一个专家"};
constexpr Text kOtherwise{
    "while they build the model, the ranks stop: \"Tensor parallel size {tp} is greater than the "
    "number of experts {experts}\"",
    "各 rank 在构建模型时退出：“Tensor parallel size {tp} is greater than the number of experts "
    "{experts}”"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelExperts, Need::ModelArchitecture};
constexpr Need kDoubts[] = {Need::Layout};
constexpr auto kCovers = less_fundamental_than("SX2110");

std::vector<Complaint> check(const Case& c) {
  const auto reasons = split_reasons(c, {SplitKind::ExpertCount});
  if (reasons.empty()) return {};
  const SplitProblem& reason = reasons.front();
  const std::vector<Argument> numbers{{"experts", reason.size}, {"tp", reason.parts}};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, numbers};
  mark_ranks(d, c, {kLabel, numbers});
  also(d, c.model().experts, {},
       {kBasis,
        {{"experts", reason.size},
         {"class", c.model().architecture.value()},
         {"origin", model_origin(c.model())}}});
  say_what_else(
      d, c, {SplitKind::Heads, SplitKind::KvHeads, SplitKind::LinearHeads, SplitKind::ExpertCount});
  d.because = kBecause;
  d.otherwise = {kOtherwise, numbers};
  propose_other_layouts(c, complaint, reason.kind);
  return {complaint};
}

}  // namespace

extern const Rule tp_exceeds_experts{
    .code = "SX2110",
    .name = "tp-exceeds-experts",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
