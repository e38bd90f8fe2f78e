// SX2106. The long explanation and the scenes are in tp_dim_indivisible.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "check/split_reasons.h"
#include "rules/layout/split_words.h"

namespace sx::rules {
namespace {

constexpr Text kWidthTitle{"an MLP width of {size} cannot be split over {parts} GPUs",
                           "MLP 宽度 {size} 无法平均分到 {parts} 张 GPU"};
constexpr Text kExpertTitle{"an expert width of {size} cannot be split over {parts} GPUs",
                            "专家宽度 {size} 无法平均分到 {parts} 张 GPU"};
constexpr Text kSharedTitle{"a shared expert's width of {size} cannot be split over {parts} GPUs",
                            "共享专家宽度 {size} 无法平均分到 {parts} 张 GPU"};
constexpr Text kLeaves{"{size} / {parts} leaves {left} over", "{size} / {parts} 余 {left}"};
constexpr Text kGroupLeaves{
    "TP{tensor} x DP{data} = {parts} ranks; {size} / {parts} leaves {left} over",
    "TP{tensor} x DP{data} = {parts} 个 rank；{size} / {parts} 余 {left}"};
constexpr Text kWidthBasis{"MLP width {size}: {origin}", "MLP 宽度 {size}：{origin}"};
constexpr Text kExpertBasis{"expert width {size}: {origin}", "专家宽度 {size}：{origin}"};
constexpr Text kSharedBasis{"shared expert's width {size}: {origin}",
                            "共享专家宽度 {size}：{origin}"};
constexpr Text kBecause{"gate, up and down matrices are cut into equal whole slices, one a rank",
                        "gate、up、down 矩阵会切成同样大的整数份，每个 rank 一份"};
constexpr Text kExpertBecause{
    "without expert parallelism each expert is cut over all tensor- and data-parallel ranks",
    "不用专家并行时，每个专家都会按全部张量并行与数据并行 rank 切开"};
constexpr Text kOtherwise{
    "while they build the model, the ranks stop: \"{size} is not divisible by {parts}\"",
    "各 rank 在构建模型时退出：“{size} is not divisible by {parts}”"};

constexpr OfEngine kExpertBecauseOf[] = {
    {"sglang",
     {"each expert is cut over the tensor-parallel ranks that expert parallelism leaves to it",
      "每个专家会切到专家并行之外剩下的张量并行 rank 上"}}};
constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"while they build the model, before any weights, the ranks stop with an AssertionError",
      "各 rank 在构建模型时（尚未加载权重）以 AssertionError 退出"}}};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelWidths};
constexpr Need kDoubts[] = {Need::Layout};
constexpr auto kCovers = less_fundamental_than("SX2106");

struct Words {
  Text title;
  Text basis;
  Text because;
  const Fact<int>* fact;
};

Words words_for(const SplitProblem& reason, const Case& c) {
  const ModelSpec& model = c.model();
  if (reason.kind == SplitKind::ExpertWidth) {
    return {kExpertTitle, kExpertBasis, of_engine(c.serve, kExpertBecauseOf, kExpertBecause),
            &model.expert_width};
  }
  if (reason.kind == SplitKind::SharedWidth) {
    return {kSharedTitle, kSharedBasis, kBecause, &model.shared_expert_width};
  }
  return {kWidthTitle, kWidthBasis, kBecause, &model.intermediate_size};
}

Message label(const Case& c, const SplitProblem& reason) {
  std::vector<Argument> numbers{
      {"size", reason.size}, {"parts", reason.parts}, {"left", reason.left}};
  const int tensor = c.serve.tensor_parallel.value();
  const int data = c.serve.data_parallel.value();
  if (reason.parts != std::int64_t{tensor} * data || data == 1) return {kLeaves, numbers};
  numbers.emplace_back("tensor", tensor);
  numbers.emplace_back("data", data);
  return {kGroupLeaves, numbers};
}

std::vector<Complaint> check(const Case& c) {
  const auto reasons =
      split_reasons(c, {SplitKind::Width, SplitKind::ExpertWidth, SplitKind::SharedWidth});
  if (reasons.empty()) return {};
  const SplitProblem& reason = reasons.front();
  const Words words = words_for(reason, c);

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {words.title, {{"size", reason.size}, {"parts", reason.parts}}};
  mark_ranks(d, c, label(c, reason));
  also(d, *words.fact, {},
       {words.basis, {{"size", reason.size}, {"origin", model_origin(c.model())}}});
  say_what_else(d, c, {SplitKind::Heads, SplitKind::KvHeads, SplitKind::LinearHeads, reason.kind});
  d.because = words.because;
  d.otherwise = {of_engine(c.serve, kOtherwiseOf, kOtherwise),
                 {{"size", reason.size}, {"parts", reason.parts}}};
  if (reason.kind == SplitKind::ExpertWidth) propose_whole_experts(c, complaint);
  propose_other_layouts(c, complaint, reason.kind);
  return {complaint};
}

}  // namespace

extern const Rule tp_dim_indivisible{
    .code = "SX2106",
    .name = "tp-dim-indivisible",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
