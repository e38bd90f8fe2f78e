// SX2117. The long explanation and the scenes are in ep_needs_moe.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/traits.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"expert parallelism is asked for, and this model has no experts",
                      "要求了专家并行，但这个模型没有专家"};
constexpr Text kLabel{"for mixture-of-experts models only", "只适用于混合专家（MoE）模型"};
constexpr Text kBasis{"a dense model, {class}: {origin}", "稠密模型，{class}：{origin}"};
constexpr Text kBecause{
    "expert parallelism shares whole experts out over the ranks; a dense model has none",
    "专家并行把完整的专家分给各 rank；稠密模型没有专家可分"};
constexpr Text kOtherwise{
    "it exits at start-up: \"Number of experts in the model must be greater than 0\"",
    "启动时就会退出：“Number of experts in the model must be greater than 0”"};
constexpr Text kLeaveOut{"leave it out: nothing is lost on a dense model",
                         "去掉它：对稠密模型没有损失"};

constexpr Need kNeeds[] = {Need::ModelExperts};

std::vector<Complaint> check(const Case& c) {
  const Fact<bool>& asked = c.serve.expert_parallel;
  if (!asked.asked() || !asked.value() || c.model().is_moe()) return {};
  if (trait(c.serve.engine, "experts-for-expert-parallel", c.serve.version) != "required")
    return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = kTitle;
  mark(d, asked, {kLabel});
  d.basis.push_back(
      {kBasis,
       {{"class", c.model().architecture.value_or("?")}, {"origin", model_origin(c.model())}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--enable-expert-parallel";
  complaint.proposals.push_back(
      {kLeaveOut, {remove_flag("--enable-expert-parallel")}, Safety::Safe});
  return {complaint};
}

}  // namespace

extern const Rule ep_needs_moe{
    .code = "SX2117",
    .name = "ep-needs-moe",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = {},
    .covers = {},
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
