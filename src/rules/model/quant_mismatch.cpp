// SX4112. The long explanation and the scenes are in quant_mismatch.md.
#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "check/layouts.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/model/number_format.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kDiffers{"--quantization {flag} is given for a checkpoint of method {method}",
                        "检查点的量化方法是 {method}，却指定了 --quantization {flag}"};
constexpr Text kNoQuant{"--quantization {flag} is given for a checkpoint that is not quantised",
                        "检查点没有量化，却指定了 --quantization {flag}"};
constexpr Text kSays{"its config says {method}", "配置写的是 {method}"};
constexpr Text kBasis{"{method}: {origin}", "{method}：{origin}"};
constexpr Text kPlainBasis{"weights in 16 bit: {origin}", "16 位权重：{origin}"};
constexpr Text kStored{"the flag names how the weights are stored; it converts nothing",
                       "这个参数说明权重的存储方式，并不做转换"};
constexpr Text kNeedsStored{
    "{flag} reads weights that were quantised beforehand; it quantises nothing by itself",
    "{flag} 读取的是事先量化好的权重，自己并不做量化"};
constexpr Text kMismatch{
    "the engine exits in the first seconds: \"Quantization method specified in the model config "
    "({method}) does not match the "
    "quantization method specified in the `quantization` argument ({flag})\"",
    "引擎在几秒内退出：“Quantization method specified in the model config ({method}) does not "
    "match the quantization method "
    "specified in the `quantization` argument ({flag})”"};
constexpr Text kNoFile{
    "the engine exits in the first minute: \"Cannot find the config file for {flag}\"",
    "引擎在第一分钟内退出：“Cannot find the config file for {flag}”"};
constexpr Text kLeaveOut{"leave it out: the engine takes the method from the checkpoint",
                         "去掉它：引擎会按检查点里的方法加载"};
constexpr Text kBehind{"leave it out and check again: another problem stands behind it",
                       "先去掉它再检查：后面还有另一个问题"};
constexpr Text kSixteen{"leave it out: the weights stay in 16 bit", "去掉它：权重保持 16 位"};
constexpr Text kSibling{
    "the checkpoint that is quantised so: {id} ({layout}; {tokens} tokens of KV cache)",
    "改用已这样量化的检查点：{id}（{layout}；KV 缓存可容 {tokens} 个 token）"};

constexpr Need kNeeds[] = {Need::ModelQuantisation};

// Methods that read weights which were quantised beforehand.
bool reads_only(std::string_view flag) {
  static constexpr std::array<std::string_view, 9> kMethods{
      "awq",       "awq_marlin",         "auto_awq", "gptq",        "gptq_marlin",
      "auto_gptq", "compressed-tensors", "mxfp4",    "modelopt_fp4"};
  return std::ranges::find(kMethods, flag) != kMethods.end();
}

// A checkpoint that keeps its settings in a file of its own, as early AutoGPTQ wrote them, shows
// itself in its tensors.
bool surely_plain(const ModelSpec& model) {
  if (model.from == ModelFrom::Catalogue) return true;
  return !model.tensors.empty() &&
         std::ranges::none_of(model.tensors, [](const TensorInfo& tensor) {
           return tensor.name.ends_with("qweight") || tensor.name.ends_with("weight_packed") ||
                  tensor.name.ends_with("_scale");
         });
}

Complaint differs(const Case& c, const std::string& flag, const std::string& method) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument said("flag", flag);
  const Argument stored("method", method);
  d.title = {kDiffers, {said, stored}};
  mark(d, c.serve.quantization, {});
  also(d, c.model().quantisation, {kSays, {stored}},
       {kBasis, {stored, {"origin", model_origin(c.model())}}});
  d.because = kStored;
  d.otherwise = {kMismatch, {said, stored}};
  d.subject = "--quantization";
  complaint.proposals.push_back(
      {.title = kLeaveOut, .changes = {remove_flag("--quantization")}, .safety = Safety::Safe});
  d.no_fix = kBehind;
  return complaint;
}

Complaint not_quantised(const Case& c, const std::string& flag) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument said("flag", flag);
  d.title = {kNoQuant, {said}};
  mark(d, c.serve.quantization, {});
  d.basis.push_back({kPlainBasis, {{"origin", model_origin(c.model())}}});
  d.because = {kNeedsStored, {said}};
  d.otherwise = {kNoFile, {said}};
  d.subject = "--quantization";
  // Those of other methods fall to this very rule when they are tried.
  for (Proposal& sibling : sibling_proposals(c, 4)) {
    sibling.title.text = kSibling;
    complaint.proposals.push_back(std::move(sibling));
  }
  complaint.proposals.push_back({.title = kSixteen,
                                 .changes = {remove_flag("--quantization")},
                                 .safety = Safety::ChangesBehaviour});
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  if (!c.serve.quantization.asked() || overridden(c.serve, "quantization_config")) return {};
  const std::string flag = lower(c.serve.quantization.value());
  if (flag.empty() || flag == "none") return {};
  if (!model.is_quantised()) {
    if (reads_only(flag) && surely_plain(model)) return {not_quantised(c, flag)};
    return {};
  }
  // A checkpoint of NVIDIA's exporter decides for itself, whatever the flag says.
  const std::string& written = model.quantisation.value().method;
  if (written.starts_with("modelopt")) return {};
  const std::string method = engine_method(c.serve, model.quantisation.value());
  if (flag == written || same_weights(flag, method)) return {};
  return {differs(c, flag, method)};
}

}  // namespace

extern const Rule quant_mismatch{
    .code = "SX4112",
    .name = "quant-mismatch",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
