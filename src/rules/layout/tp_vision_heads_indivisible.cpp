// SX2114. The long explanation and the scenes are in tp_vision_heads_indivisible.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/architectures.h"
#include "rules/layout/split_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{heads} heads of the vision tower cannot be split over {tp} GPUs",
                      "视觉编码器的 {heads} 个注意力头无法平均分到 {tp} 张 GPU"};
constexpr Text kLeaves{"{heads} / {tp} leaves {left} over", "{heads} / {tp} 余 {left}"};
constexpr Text kBasis{"{heads} vision heads: {origin}", "视觉编码器 {heads} 个注意力头：{origin}"};
constexpr Text kBecause{
    "by default the encoder for pictures is cut over the same ranks as the language model",
    "默认情况下，图像编码器与语言模型切到同一组 rank 上"};
constexpr Text kOtherwise{
    "while they build the model, before any weights, the ranks stop: \"{heads} is not divisible by "
    "{tp}\"",
    "各 rank 在构建模型时（尚未加载权重）退出：“{heads} is not divisible by {tp}”"};
constexpr Text kWholeTower{
    "keep the whole vision tower on every GPU and share out pictures instead",
    "每张 GPU 保留完整的视觉编码器，改为分摊图片"};
constexpr Text kTextOnly{"leave the vision tower out: text only, no pictures",
                         "不加载视觉编码器：只处理文本，不能输入图片"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelHeads};
constexpr Need kDoubts[] = {Need::Layout};

bool takes_whole_tower(const ModelSpec& model) {
  if (!model.architecture.known()) return false;
  const auto row = find_architecture(model.architecture.value());
  return row.has_value() && row->encoder_data.value_or(false);
}

std::vector<Complaint> check(const Case& c) {
  const auto reasons = split_reasons(c, {SplitKind::VisionHeads});
  if (reasons.empty()) return {};
  const SplitProblem& reason = reasons.front();

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"heads", reason.size}, {"tp", reason.parts}}};
  mark_ranks(d, c,
             {kLeaves, {{"heads", reason.size}, {"tp", reason.parts}, {"left", reason.left}}});
  also(d, c.model().vision.heads, {},
       {kBasis, {{"heads", reason.size}, {"origin", model_origin(c.model())}}});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {{"heads", reason.size}, {"tp", reason.parts}}};
  if (takes_whole_tower(c.model())) {
    complaint.proposals.push_back({kWholeTower, {set_flag("--mm-encoder-tp-mode", "data")}});
    // Its name before 0.10.
    complaint.proposals.push_back(
        {.title = kWholeTower,
         .changes = {add_switch("--enable-multimodal-encoder-data-parallel")},
         .spare = true});
  }
  propose_other_layouts(c, complaint, reason.kind);
  complaint.proposals.push_back({.title = kTextOnly,
                                 .changes = {add_switch("--language-model-only")},
                                 .safety = Safety::Trades});
  return {complaint};
}

}  // namespace

extern const Rule tp_vision_heads_indivisible{
    .code = "SX2114",
    .name = "tp-vision-heads-indivisible",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = {},
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
