// SX4127. The long explanation and the scenes are in v_cache_needs_flash_attn.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "read/gguf.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"a V cache of type {type} needs flash attention, which is switched off",
                      "{type} 类型的 V 缓存需要 flash attention，而它被关掉了"};
constexpr Text kType{"{type}: blocks of {block} values", "{type}：每 {block} 个值一块"};
constexpr Text kOff{"switched off here", "在这里关掉了"};
constexpr Text kBecause{
    "without flash attention V is kept transposed, and a block of quantised values cannot be "
    "transposed",
    "不用 flash attention 时 V 要转置存放，而按块量化的值无法转置"};
constexpr Text kOtherwise{
    "it exits after the weights are loaded: \"quantized V cache requires flash_attn to be "
    "enabled\"",
    "加载完权重后退出：“quantized V cache requires flash_attn to be enabled”"};
constexpr Text kOn{"switch flash attention on", "打开 flash attention"};
constexpr Text kPlain{"a V cache of 16 bits, which takes more memory",
                      "V 缓存用 16 位，占用更多显存"};

constexpr Need kNeeds[] = {Need::Flags};

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (!serve.value_kv_dtype.known() || serve.flash_attention.value_or("auto") != "off") return {};
  const GgmlType* type = find_ggml_type(serve.value_kv_dtype.value());
  if (type == nullptr || type->block == 1) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"type", type->name}}};
  mark(d, serve.value_kv_dtype, {kType, {{"type", type->name}, {"block", type->block}}});
  mark(d, serve.flash_attention, kOff);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--cache-type-v";
  complaint.proposals.push_back({.title = kOn, .changes = {set_flag("--flash-attn", "on")}});
  complaint.proposals.push_back(
      {.title = kPlain, .changes = {set_flag("--cache-type-v", "f16")}, .safety = Safety::Trades});
  return {complaint};
}

}  // namespace

extern const Rule v_cache_needs_flash_attn{
    .code = "SX4127",
    .name = "v-cache-needs-flash-attn",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
