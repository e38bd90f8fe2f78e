// SX2107. The long explanation and the scenes are in quant_group_tp_misaligned.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/layout/split_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{tensor}: {slice} a GPU is no whole number of quantisation groups of {unit}",
                      "{tensor}：每张 GPU 分到 {slice}，不是量化组大小 {unit} 的整数倍"};
constexpr Text kBasis{"{method}, groups of {unit}: {origin}",
                      "{method}，量化组大小 {unit}：{origin}"};
constexpr Text kBecause{
    "a group of inputs shares one scale, so each rank's slice must hold whole groups",
    "同一组输入共用一个缩放系数，所以每个 rank 的切片必须包含完整的组"};
constexpr Text kOtherwise{
    "while they build the model, before any weights, the ranks stop with a ValueError about "
    "alignment",
    "各 rank 在构建模型时（尚未加载权重）以关于对齐的 ValueError 退出"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelQuantisation, Need::ModelWidths};
constexpr Need kDoubts[] = {Need::Layout};
constexpr auto kCovers = less_fundamental_than("SX2107");

std::vector<Complaint> check(const Case& c) {
  const auto reasons = split_reasons(c, {SplitKind::QuantGroup});
  if (reasons.empty()) return {};
  const SplitProblem& reason = reasons.front();

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle,
             {{"tensor", tensor_name(reason)}, {"slice", reason.size}, {"unit", reason.unit}}};
  mark_ranks(d, c, slice_sum(c.serve, reason));
  d.basis.push_back({kBasis,
                     {{"method", c.model().quantisation.value().method},
                      {"unit", reason.unit},
                      {"origin", model_origin(c.model())}}});
  say_same_kind(d, reasons);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  propose_other_layouts(c, complaint, reason.kind);
  return {complaint};
}

}  // namespace

extern const Rule quant_group_tp_misaligned{
    .code = "SX2107",
    .name = "quant-group-tp-misaligned",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
