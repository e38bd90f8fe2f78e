// SX2109. The long explanation and the scenes are in quant_fp8_block_tp_misaligned.md.
#include <algorithm>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/layout/split_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{tensor}: {slice} a GPU is no whole number of FP8 blocks of {unit}",
                      "{tensor}：每张 GPU 分到 {slice}，不是 FP8 块大小 {unit} 的整数倍"};
constexpr Text kBasis{"FP8 in blocks of {rows} x {columns}: {origin}",
                      "FP8 按 {rows} x {columns} 的块量化：{origin}"};
constexpr Text kBecause{"each block has one scale, so each rank's slice must hold whole blocks",
                        "每个块有一个缩放系数，所以每个 rank 的切片必须由完整的块组成"};
constexpr Text kOutputs{
    "while they build the model, the ranks stop: \"… is not divisible by weight quantization "
    "block_n = {unit}\"",
    "各 rank 在构建模型时退出：“… is not divisible by weight quantization block_n = {unit}”"};
constexpr Text kInputs{
    "while they build the model, the ranks stop: \"… is not divisible by weight quantization "
    "block_k = {unit}\"",
    "各 rank 在构建模型时退出：“… is not divisible by weight quantization block_k = {unit}”"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelQuantisation, Need::ModelWidths};
constexpr Need kDoubts[] = {Need::Layout};
constexpr auto kCovers = less_fundamental_than("SX2109");

std::vector<Complaint> check(const Case& c) {
  const auto reasons = split_reasons(c, {SplitKind::Fp8Block});
  if (reasons.empty()) return {};
  const SplitProblem& reason = reasons.front();
  const Quantisation& quantisation = c.model().quantisation.value();
  const int rows = quantisation.block_rows.value_or(static_cast<int>(reason.unit));

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle,
             {{"tensor", tensor_name(reason)}, {"slice", reason.size}, {"unit", reason.unit}}};
  mark_ranks(d, c, slice_sum(c.serve, reason));
  d.basis.push_back({kBasis,
                     {{"rows", rows},
                      {"columns", quantisation.block_columns.value_or(rows)},
                      {"origin", model_origin(c.model())}}});
  say_same_kind(d, reasons);
  d.because = kBecause;
  d.otherwise = {reason.tensor.ends_with("input") ? kInputs : kOutputs, {{"unit", reason.unit}}};
  // Whole experts help when nothing but experts is cut badly.
  if (std::ranges::all_of(reasons, cuts_experts)) propose_whole_experts(c, complaint);
  propose_other_layouts(c, complaint, reason.kind);
  return {complaint};
}

}  // namespace

extern const Rule quant_fp8_block_tp_misaligned{
    .code = "SX2109",
    .name = "quant-fp8-block-tp-misaligned",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
