// SX4109. The long explanation and the scenes are in dtype_bf16_unsupported.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/traits.h"
#include "rules/model/dtype_words.h"
#include "rules/model/number_format.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"bfloat16 needs compute capability {need}, {card} has {have}",
                      "bfloat16 要求计算能力 {need}，{card} 只有 {have}"};
constexpr Text kOfConfig{"its config says bfloat16, and vLLM {version} keeps to it",
                         "配置写的是 bfloat16，vLLM {version} 会照用"};
constexpr Text kBasis{"bfloat16: {origin}", "bfloat16：{origin}"};
constexpr Text kBecause{"bfloat16 units came with Ampere; older cards have float16 and float32",
                        "bfloat16 单元从 Ampere 开始才有；更老的 GPU 只有 float16 和 float32"};
constexpr Text kOtherwise{
    "the ranks exit in the first minute, before any weights: \"Bfloat16 is only supported on GPUs "
    "with compute capability of "
    "at least 8.0\"",
    "各 rank 在第一分钟内退出，尚未加载权重：“Bfloat16 is only supported on GPUs with compute "
    "capability of at least 8.0”"};

constexpr Text kHalf{"compute in float16", "用 float16 计算"};
constexpr Text kAuto{"leave the type to vLLM: float16 on this card",
                     "类型交给 vLLM 决定：这张卡上是 float16"};
constexpr Text kFloat{"compute in float32: {type} takes no float16; twice the memory, and slow",
                      "用 float32 计算：{type} 不支持 float16；显存翻倍，而且慢"};

constexpr Text kSlow{"{type} runs in float32 on {card}: twice the memory, and slow",
                     "{type} 在 {card} 上只能用 float32：显存翻倍，而且慢"};
constexpr Text kSlowWhy{
    "{card} has no bfloat16 (from compute capability {need}), and vLLM {version} takes no float16 "
    "for this kind of model",
    "{card} 没有 bfloat16（计算能力 {need} 起才有），而 vLLM {version} 不允许这类模型使用 float16"};
constexpr Text kSlowSo{
    "it starts with a warning in the log if the memory is enough, and answers several times slower",
    "显存够的话会启动，日志里有一条警告，回答会慢几倍"};
constexpr Text kCards{"it takes a card with bfloat16: {generations}",
                      "需要有 bfloat16 的 GPU：{generations}"};

constexpr Need kNeeds[] = {Need::HostGpuKind, Need::VisibleDevices};

Complaint refused(const Case& c, const Gpu& gpu, const ComputeCapability& least, bool by_flag) {
  const ServeSpec& serve = c.serve;
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle,
             {{"need", least.text()},
              {"card", card_words(c, gpu)},
              {"have", gpu.capability.value().text()}}};
  if (by_flag) {
    mark(d, serve.dtype, {});
  } else {
    mark(d, serve.model, {kOfConfig, {{"version", serve.version.text()}}});
    also(d, c.model().dtype, {}, {kBasis, {{"origin", model_origin(c.model())}}});
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--dtype";
  if (refuses_float16(c)) {
    complaint.proposals.push_back({.title = {kFloat, {{"type", c.model().model_type.value()}}},
                                   .changes = {set_flag("--dtype", "float32")},
                                   .safety = Safety::Trades});
  } else {
    complaint.proposals.push_back(
        {.title = kHalf, .changes = {set_flag("--dtype", "half")}, .safety = Safety::Safe});
    if (by_flag)
      complaint.proposals.push_back({.title = kAuto, .changes = {remove_flag("--dtype")}});
  }
  d.no_fix = {kCards, {{"generations", generations_from(least)}}};
  return complaint;
}

// A model for which float16 is refused falls back to float32.
Complaint slow(const Case& c, const Gpu& gpu, const ComputeCapability& least) {
  Complaint complaint;
  complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  const Argument card("card", card_words(c, gpu));
  d.title = {kSlow, {{"type", c.model().model_type.value()}, card}};
  mark(d, c.serve.model, {});
  also(d, c.model().dtype, {}, {kBasis, {{"origin", model_origin(c.model())}}});
  d.because = {kSlowWhy, {card, {"need", least.text()}, {"version", c.serve.version.text()}}};
  d.otherwise = kSlowSo;
  d.subject = "--dtype";
  d.no_fix = {kCards, {{"generations", generations_from(least)}}};
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const Gpu* gpu = weakest_gpu(c);
  const auto least = bfloat16_capability(c.serve);
  if (gpu == nullptr || !least || gpu->capability.value() >= *least) return {};
  const std::string asked = asked_dtype(c.serve);
  const auto dtype = dtype_in_force(c);
  if (dtype == "bfloat16") return {refused(c, *gpu, *least, !asked.empty())};
  const bool fell_back = asked.empty() && dtype == "float32" && refuses_float16(c);
  if (fell_back) return {slow(c, *gpu, *least)};
  return {};
}

}  // namespace

extern const Rule dtype_bf16_unsupported{
    .code = "SX4109",
    .name = "dtype-bf16-unsupported",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
