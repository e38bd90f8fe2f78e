// SX3109. The long explanation and the scenes are in kv_cache_too_big.md.
#include <algorithm>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/memory/llama_verdict.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"the KV cache takes {cache} of {gpu}, {left} are left beside weights",
                      "KV 缓存要占 {gpu} 的 {cache}，权重之外只剩 {left}"};
constexpr Text kMaybe{"the KV cache takes {cache} of {gpu}, about {left} are left beside weights",
                      "KV 缓存要占 {gpu} 的 {cache}，权重之外约剩 {left}"};
constexpr Text kLabel{"a cache for {context} tokens in all", "缓存总共可容 {context} 个 token"};
constexpr Text kOwn{"{context} tokens in all, as nothing shorter is asked for (--ctx-size)",
                    "没有指定更短的长度（--ctx-size），总共 {context} 个 token"};
constexpr Text kBecause{
    "the cache for the whole context of all slots is allocated at the start, used or not",
    "所有槽位的整个上下文所需的缓存在启动时一次分配，不管用不用"};
constexpr Text kOtherwise{
    "after loading the weights the server exits: \"failed to allocate buffer for kv cache\"",
    "加载权重之后服务退出：“failed to allocate buffer for kv cache”"};

constexpr Need kNeeds[] = {Need::MemoryBudget};

std::vector<Complaint> check(const Case& c) {
  const auto verdict = llama_verdict(c);
  if (!verdict || verdict->what != LlamaBreak::Cache) return {};
  const LlamaDevice& device = verdict->at();
  Complaint complaint;
  complaint.severity = verdict->certain ? Severity::Error : Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  const Bytes left = std::max(device.free - (device.needed() - device.cache), Bytes{0});
  d.title = {verdict->certain ? kTitle : kMaybe,
             {{"cache", device.cache}, {"gpu", gpu_word(c, device)}, {"left", left}}};
  const Argument context("context", verdict->place.context);
  if (c.serve.max_model_len.span()) {
    mark(d, c.serve.max_model_len, {kLabel, {context}});
  } else {
    also(d, c.serve.model, {kOwn, {context}}, {kOwn, {context}});
    if (!d.labels.empty()) d.labels.front().primary = true;
  }
  tell_devices(c, verdict->place, d);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--ctx-size";
  if (c.asked_again) return {complaint};
  propose_smaller_cache(c, complaint.proposals);
  propose_shorter_context(c, complaint.proposals);
  propose_fewer_layers(c, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule kv_cache_too_big{
    .code = "SX3109",
    .name = "kv-cache-too-big",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
