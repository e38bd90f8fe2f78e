// SX3113. The long explanation and the scenes are in layers_left_on_host.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/memory/llama_verdict.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{host} of {layers} layers stay in host memory: the GPUs are too small",
                      "{layers} 层中有 {host} 层留在内存：GPU 放不下"};
constexpr Text kLabel{"about {weights} of weights are read from host memory for each token",
                      "每个 token 都要从内存读取约 {weights} 权重"};
constexpr Text kShrunk{"the context is cut to {context} tokens first",
                       "并且上下文先被缩短到 {context} 个 token"};
constexpr Text kBecause{
    "the engine fits itself to what is free (--fit): an unset context is cut, then layers go to "
    "host memory",
    "引擎会自行适应空闲显存（--fit）：先缩短没有指定的上下文，再把一部分层放到内存"};
constexpr Text kOtherwise{"it starts and answers, several times slower than on GPUs alone",
                          "能启动也能回答，但比全部放在 GPU 上慢数倍"};
constexpr Text kNoFix{"fewer bits, a smaller model or more GPU memory",
                      "换更低位宽的文件、更小的模型或更多显存"};

constexpr Need kNeeds[] = {Need::MemoryBudget};

std::vector<Complaint> check(const Case& c) {
  const auto place = llama_placement(c);
  if (!place || !place->layers_moved || place->layers_on_gpus >= place->layers) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = {kTitle, {{"host", place->layers - place->layers_on_gpus}, {"layers", place->layers}}};
  mark(d, c.serve.model, {kLabel, {{"weights", place->host_weights}}});
  if (place->context_shrunk) d.basis.push_back({kShrunk, {{"context", place->context}}});
  tell_devices(c, *place, d);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--gpu-layers";
  d.no_fix = kNoFix;
  if (c.asked_again) return {complaint};
  propose_smaller_cache(c, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule layers_left_on_host{
    .code = "SX3113",
    .name = "layers-left-on-host",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
