// SX3111. The long explanation and the scenes are in uneven_tensor_split.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/memory/llama_verdict.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{gpu} gets {needed}, {free} are free there; all GPUs together have enough",
                      "{gpu} 分到 {needed}，只有 {free} 空闲；所有 GPU 加起来是够的"};
constexpr Text kLabel{"{layers} layers go to {gpu}", "{gpu} 分到 {layers} 层"};
constexpr Text kNotAsked{"{layers} layers go to {gpu}, shared out by free memory",
                         "按空闲显存分配，{gpu} 分到 {layers} 层"};
constexpr Text kBecause{
    "shares say which layers a GPU holds; caches, steps and what others hold come on top, on each "
    "GPU by itself",
    "比例只决定每张 GPU 放哪些层；缓存、计算缓冲和其他进程的占用要另算，而且每张 GPU 各算各的"};
constexpr Text kOtherwise{
    "the server exits while it loads: \"cudaMalloc failed: out of memory\" on that device",
    "加载期间服务退出：该设备上“cudaMalloc failed: out of memory”"};

constexpr Need kNeeds[] = {Need::MemoryBudget};

std::vector<Complaint> check(const Case& c) {
  const auto verdict = llama_verdict(c);
  if (!verdict || verdict->what != LlamaBreak::Split) return {};
  const LlamaDevice& device = verdict->at();
  Complaint complaint;
  complaint.severity = verdict->certain ? Severity::Error : Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  const Argument gpu("gpu", gpu_word(c, device));
  d.title = {kTitle, {gpu, {"needed", device.needed()}, {"free", device.free}}};
  const Argument layers("layers", device.layers + (device.output ? 1 : 0));
  if (c.serve.tensor_split.span()) {
    mark(d, c.serve.tensor_split, {kLabel, {layers, gpu}});
  } else {
    mark(d, c.serve.split_mode, {kLabel, {layers, gpu}});
    if (d.labels.empty()) mark(d, c.serve.model, {kNotAsked, {layers, gpu}});
  }
  tell_devices(c, verdict->place, d);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--tensor-split";
  if (c.asked_again) return {complaint};
  propose_other_shares(c, verdict->place, complaint.proposals);
  propose_smaller_cache(c, complaint.proposals);
  propose_shorter_context(c, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule uneven_tensor_split{
    .code = "SX3111",
    .name = "uneven-tensor-split",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
