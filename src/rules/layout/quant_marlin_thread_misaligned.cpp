// SX2108. The long explanation and the scenes are in quant_marlin_thread_misaligned.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/layout/split_words.h"

namespace sx::rules {
namespace {

constexpr Text kTileTitle{
    "{tensor}: {slice} a GPU is no multiple of {unit}, the Marlin kernel's tile",
    "{tensor}：每张 GPU 分到 {slice}，不是 Marlin 内核分块 {unit} 的整数倍"};
constexpr Text kPackTitle{"{tensor}: {slice} a GPU is no whole number of packed words of {unit}",
                          "{tensor}：每张 GPU 分到 {slice}，不是打包单位 {unit} 的整数倍"};
constexpr Text kBasis{"{method}, {bits} bits a weight: {origin}",
                      "{method}，每个权重 {bits} 比特：{origin}"};
constexpr Text kTileBecause{"the kernel for packed integer weights works on whole tiles only",
                            "处理打包整数权重的内核只能按整块计算"};
constexpr Text kPackBecause{"{unit} weights share one 32-bit word, and a slice must be whole words",
                            "{unit} 个权重打包在一个 32 位字里，切片必须由完整的字组成"};
constexpr Text kTileOtherwise{
    "while they build the model, the ranks stop: \"{slice} is not divisible by min_thread_… = "
    "{unit}\"",
    "各 rank 在构建模型时退出：“{slice} is not divisible by min_thread_… = {unit}”"};
constexpr Text kPackOtherwise{
    "while they build the model, the ranks stop with a ValueError about alignment",
    "各 rank 在构建模型时以关于对齐的 ValueError 退出"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelQuantisation, Need::ModelWidths};
constexpr Need kDoubts[] = {Need::Layout};
constexpr auto kCovers = less_fundamental_than("SX2108");

// A word holds 32 bits of weights; tiles are larger than any word.
constexpr std::int64_t kMostInAWord = 32;

std::vector<Complaint> check(const Case& c) {
  const auto reasons = split_reasons(c, {SplitKind::MarlinTile});
  if (reasons.empty()) return {};
  const SplitProblem& reason = reasons.front();
  const bool packed = reason.unit <= kMostInAWord;
  const Quantisation& quantisation = c.model().quantisation.value();
  const Argument slice("slice", reason.size);
  const Argument unit("unit", reason.unit);

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {packed ? kPackTitle : kTileTitle, {{"tensor", tensor_name(reason)}, slice, unit}};
  mark_ranks(d, c, slice_sum(c.serve, reason));
  d.basis.push_back({kBasis,
                     {{"method", quantisation.method},
                      {"bits", quantisation.bits.value_or(4)},
                      {"origin", model_origin(c.model())}}});
  say_same_kind(d, reasons);
  d.because = packed ? Message{kPackBecause, {unit}} : Message{kTileBecause};
  d.otherwise = packed ? Message{kPackOtherwise} : Message{kTileOtherwise, {slice, unit}};
  propose_other_layouts(c, complaint, reason.kind);
  return {complaint};
}

}  // namespace

extern const Rule quant_marlin_thread_misaligned{
    .code = "SX2108",
    .name = "quant-marlin-thread-misaligned",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
