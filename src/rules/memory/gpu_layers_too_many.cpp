// SX3110. The long explanation and the scenes are in gpu_layers_too_many.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/memory/llama_verdict.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{layers} layers take {weights} of {gpu}, {free} are free",
                      "{layers} 层权重要占 {gpu} 的 {weights}，空闲 {free}"};
constexpr Text kMaybe{"{layers} layers take {weights} of {gpu}, where {free} are free: too tight",
                      "{layers} 层权重要占 {gpu} 的 {weights}，空闲 {free}：太紧"};
constexpr Text kLabel{"{count} of {layers} layers on the GPUs, {weights} in all",
                      "{layers} 层中有 {count} 层放在 GPU 上，共 {weights}"};
constexpr Text kBecause{
    "layers that are sent to a GPU stay there whole, with their part of the KV cache",
    "放到 GPU 上的层连同各自的 KV 缓存，会一直整个留在那里"};
constexpr Text kOtherwise{
    "the server exits while it loads the weights: \"unable to allocate CUDA0 buffer\"",
    "加载权重期间服务退出：“unable to allocate CUDA0 buffer”"};

constexpr Need kNeeds[] = {Need::MemoryBudget};

std::vector<Complaint> check(const Case& c) {
  const auto verdict = llama_verdict(c);
  if (!verdict || verdict->what != LlamaBreak::Layers) return {};
  const LlamaDevice& device = verdict->at();
  Complaint complaint;
  complaint.severity = verdict->certain ? Severity::Error : Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = {verdict->certain ? kTitle : kMaybe,
             {{"layers", device.layers + (device.output ? 1 : 0)},
              {"weights", device.weights},
              {"gpu", gpu_word(c, device)},
              {"free", device.free}}};
  Bytes weights;
  for (const LlamaDevice& one : verdict->place.devices) weights += one.weights;
  const Message label = {kLabel,
                         {{"count", verdict->place.layers_on_gpus},
                          {"layers", verdict->place.layers},
                          {"weights", weights}}};
  mark(d, c.serve.gpu_layers, label);
  if (d.labels.empty()) mark(d, c.serve.model, label);
  tell_devices(c, verdict->place, d);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--gpu-layers";
  if (c.asked_again) return {complaint};
  propose_experts_on_host(c, complaint.proposals);
  propose_fewer_layers(c, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule gpu_layers_too_many{
    .code = "SX3110",
    .name = "gpu-layers-too-many",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
