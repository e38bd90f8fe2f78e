// SX4117. The long explanation and the scenes are in dtype_fp16_refused.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/model/dtype_words.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"models of type {type} take no float16", "{type} 类模型不支持 float16"};
constexpr Text kBasis{"{type}: {origin}", "{type}：{origin}"};
constexpr Text kBecause{
    "numbers inside these models leave the range of float16, and answers turn to noise",
    "这类模型内部的数值会超出 float16 的范围，回答会变成乱码"};
constexpr Text kOtherwise{
    "the engine exits in the first seconds: \"The model type '{type}' does not support float16. "
    "Reason: Numerical instability\"",
    "引擎在几秒内退出：“The model type '{type}' does not support float16. Reason: Numerical "
    "instability”"};
constexpr Text kAuto{"leave the type to vLLM: bfloat16", "类型交给 vLLM 决定：bfloat16"};
constexpr Text kFloat{"compute in float32: twice the memory, and slow",
                      "用 float32 计算：显存翻倍，而且慢"};

constexpr Need kNeeds[] = {Need::ModelArchitecture};

std::vector<Complaint> check(const Case& c) {
  if (asked_dtype(c.serve) != "float16" || !refuses_float16(c) || overridden(c.serve, "model_type"))
    return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument type("type", c.model().model_type.value());
  d.title = {kTitle, {type}};
  mark(d, c.serve.dtype, {});
  also(d, c.model().model_type, {}, {kBasis, {type, {"origin", model_origin(c.model())}}});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {type}};
  d.subject = "--dtype";
  const Gpu* gpu = weakest_gpu(c);
  const auto least = bfloat16_capability(c.serve);
  const bool old_card = gpu != nullptr && least && gpu->capability.value() < *least;
  if (!old_card)
    complaint.proposals.push_back({.title = kAuto, .changes = {remove_flag("--dtype")}});
  complaint.proposals.push_back({.title = kFloat,
                                 .changes = {set_flag("--dtype", "float32")},
                                 .safety = Safety::Trades,
                                 .spare = true});
  return {complaint};
}

}  // namespace

extern const Rule dtype_fp16_refused{
    .code = "SX4117",
    .name = "dtype-fp16-refused",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
