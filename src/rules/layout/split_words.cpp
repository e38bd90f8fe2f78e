// Sentences and places that the rules about splits share.
#include "rules/layout/split_words.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "check/speak.h"
#include "engines/engine.h"
#include "knowledge/foreign_flags.h"

namespace sx::rules {
namespace {

constexpr Text kAlsoHeads{"{parts} does not divide the {size} attention heads either",
                          "{size} 个注意力头也不能被 {parts} 整除"};
constexpr Text kAlsoKvHeads{"the {size} KV heads do not go over {parts} ranks either",
                            "{size} 个 KV 头也无法分到 {parts} 个 rank"};
constexpr Text kAlsoLinearHeads{"{parts} does not divide the {size} linear-attention heads either",
                                "{size} 个线性注意力头也不能被 {parts} 整除"};
constexpr Text kAlsoWidth{"{parts} does not divide the MLP width {size} either",
                          "MLP 宽度 {size} 也不能被 {parts} 整除"};
constexpr Text kAlsoExpertWidth{"{parts} does not divide the expert width {size} either",
                                "专家宽度 {size} 也不能被 {parts} 整除"};
constexpr Text kAlsoSharedWidth{"{parts} does not divide the shared expert's width {size} either",
                                "共享专家宽度 {size} 也不能被 {parts} 整除"};
constexpr Text kAlsoVocabulary{"{parts} does not divide the padded vocabulary {size} either",
                               "补齐后的词表大小 {size} 也不能被 {parts} 整除"};
constexpr Text kAlsoVision{"{parts} does not divide the {size} heads of the vision tower either",
                           "视觉编码器的 {size} 个注意力头也不能被 {parts} 整除"};
constexpr Text kAlsoUnit{"{tensor}: {size} a rank is no multiple of {unit} either",
                         "{tensor}：每个 rank 分到 {size}，也不是 {unit} 的整数倍"};
constexpr Text kAlsoExperts{"{parts} ranks are also more than the {size} experts",
                            "{parts} 个 rank 也多于 {size} 个专家"};
constexpr Text kSliceSum{"{whole} / {parts} = {slice} = {units} x {unit} + {left}",
                         "{whole} / {parts} = {slice} = {units} x {unit} + {left}"};
constexpr Text kSmallSlice{"{whole} / {parts} = {slice}, less than {unit}",
                           "{whole} / {parts} = {slice}，不足 {unit}"};
constexpr Text kGroupSum{
    "TP{tensor} x DP{data}: {whole} / {parts} = {slice} = {units} x {unit} + {left}",
    "TP{tensor} x DP{data}：{whole} / {parts} = {slice} = {units} x {unit} + {left}"};
constexpr Text kWholeExperts{
    "keep experts whole (expert parallel): {experts} experts over {ranks} ranks",
    "保持专家完整（专家并行）：{experts} 个专家分给 {ranks} 个 rank"};

// As kSplitCodes orders them.
constexpr SplitKind kByDepth[] = {
    SplitKind::Heads,      SplitKind::KvHeads,     SplitKind::LinearHeads, SplitKind::ExpertCount,
    SplitKind::Width,      SplitKind::ExpertWidth, SplitKind::SharedWidth, SplitKind::Vocabulary,
    SplitKind::QuantGroup, SplitKind::MarlinTile,  SplitKind::Fp8Block,    SplitKind::VisionHeads};

constexpr std::initializer_list<SplitKind> kOfRanks{
    SplitKind::Heads,       SplitKind::KvHeads,     SplitKind::LinearHeads, SplitKind::Width,
    SplitKind::ExpertWidth, SplitKind::SharedWidth, SplitKind::Vocabulary,  SplitKind::VisionHeads,
    SplitKind::QuantGroup,  SplitKind::MarlinTile,  SplitKind::Fp8Block,    SplitKind::ExpertCount};

constexpr std::size_t kMostLines = 2;  // more is a wall

Text also(SplitKind kind) {
  switch (kind) {
    case SplitKind::Heads:
      return kAlsoHeads;
    case SplitKind::KvHeads:
      return kAlsoKvHeads;
    case SplitKind::LinearHeads:
      return kAlsoLinearHeads;
    case SplitKind::Width:
      return kAlsoWidth;
    case SplitKind::ExpertWidth:
      return kAlsoExpertWidth;
    case SplitKind::SharedWidth:
      return kAlsoSharedWidth;
    case SplitKind::Vocabulary:
      return kAlsoVocabulary;
    case SplitKind::VisionHeads:
      return kAlsoVision;
    case SplitKind::QuantGroup:
    case SplitKind::MarlinTile:
    case SplitKind::Fp8Block:
      return kAlsoUnit;
    case SplitKind::ExpertCount:
      return kAlsoExperts;
    case SplitKind::Layers:
    case SplitKind::Partition:
      break;  // of stages, not of ranks
  }
  SX_UNREACHABLE("a reason that is not about ranks");
}

std::vector<Argument> numbers(const SplitProblem& reason) {
  return {{"size", reason.size},
          {"parts", reason.parts},
          {"unit", reason.unit},
          {"tensor", tensor_name(reason)}};
}

}  // namespace

RankFlag rank_flag(const ServeSpec& serve) {
  const bool tensor = serve.tensor_parallel.value_or(1) > 1 || !serve.data_parallel.asked();
  if (tensor) return {&serve.tensor_parallel, "--tensor-parallel-size"};
  return {&serve.data_parallel, "--data-parallel-size"};
}

void mark_ranks(Diagnostic& d, const Case& c, Message text) {
  const RankFlag flag = rank_flag(c.serve);
  mark(d, *flag.fact, std::move(text));
  d.subject = flag.name;
}

Text tensor_name(const SplitProblem& reason) {
  struct Name {
    std::string_view tensor;
    Text text;
  };
  static constexpr Name kNames[] = {
      {"o_proj input", {"o_proj input", "o_proj 的输入"}},
      {"down_proj input", {"down_proj input", "down_proj 的输入"}},
      {"gate_up output", {"gate_up_proj output", "gate_up_proj 的输出"}},
      {"expert gate_up output", {"gate and up of an expert", "专家的 gate 与 up"}},
      {"shared expert down_proj input",
       {"down_proj input of the shared expert", "共享专家 down_proj 的输入"}},
      {"shared expert gate_up output",
       {"gate_up_proj output of the shared expert", "共享专家 gate_up_proj 的输出"}},
      {"q_proj output", {"q_proj output", "q_proj 的输出"}},
      {"k_proj and v_proj output", {"k_proj and v_proj output", "k_proj 与 v_proj 的输出"}},
      {"q_b_proj output", {"q_b_proj output", "q_b_proj 的输出"}},
      {"kv_b_proj output", {"kv_b_proj output", "kv_b_proj 的输出"}},
  };
  const auto* const found = std::ranges::find(kNames, reason.tensor, &Name::tensor);
  return found == std::end(kNames) ? Text{"a weight matrix", "某个权重矩阵"} : found->text;
}

void say_what_else(Diagnostic& d, const Case& c, std::initializer_list<SplitKind> said) {
  std::vector<SplitKind> told(said);
  std::size_t lines = 0;
  for (const SplitProblem& reason : split_reasons(c, kOfRanks)) {
    if (std::ranges::find(told, reason.kind) != told.end()) continue;
    if (lines++ == kMostLines) return;
    told.push_back(reason.kind);
    d.basis.push_back({also(reason.kind), numbers(reason)});
  }
}

void say_same_kind(Diagnostic& d, std::span<const SplitProblem> reasons) {
  if (reasons.size() < 2) return;
  d.basis.push_back({also(reasons[1].kind), numbers(reasons[1])});
}

Message slice_sum(const ServeSpec& serve, const SplitProblem& reason) {
  const std::int64_t tensor = serve.tensor_parallel.value_or(1);
  const std::int64_t data = serve.data_parallel.value_or(1);
  const bool replicas_too = data > 1 && reason.parts == tensor * data;
  const bool small = reason.size < reason.unit;
  return {small ? kSmallSlice : (replicas_too ? kGroupSum : kSliceSum),
          {{"tensor", tensor},
           {"data", data},
           {"whole", reason.size * reason.parts},
           {"parts", reason.parts},
           {"slice", reason.size},
           {"units", reason.size / reason.unit},
           {"unit", reason.unit},
           {"left", reason.left}}};
}

bool cuts_experts(const SplitProblem& reason) { return reason.tensor.starts_with("expert "); }

void propose_other_layouts(const Case& c, Complaint& complaint, SplitKind kind) {
  for (const SplitKind deeper : kByDepth) {
    if (deeper == kind) break;
    if (!split_reasons(c, {deeper}).empty()) return;
  }
  propose_layouts(c, complaint);
}

void propose_whole_experts(const Case& c, Complaint& complaint) {
  const auto layout = layout_of(c.serve);
  if (!layout || !c.model().is_moe()) return;
  const int ranks = layout->tensor * layout->data * layout->prefill_context;
  // A switch to one engine, a size to another.
  constexpr std::string_view kSwitch = "--enable-expert-parallel";
  const bool is_switch = !own_name_for_value(c.serve.engine, kSwitch).empty();
  complaint.proposals.push_back(
      {.title = {kWholeExperts, {{"experts", c.model().experts.value()}, {"ranks", ranks}}},
       .changes = {is_switch ? add_switch(std::string(kSwitch))
                             : set_flag("--expert-parallel-size", std::to_string(ranks))}});
}

}  // namespace sx::rules
