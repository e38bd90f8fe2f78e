// SX3112. The long explanation and the scenes are in pipeline_copies_compute_buffer.md.
#include <algorithm>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/memory/llama_verdict.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"one step takes {step} of {gpu} in {copies} copies, {left} are left",
                      "{gpu} 上一步计算要占 {step}（保留 {copies} 份），只剩 {left}"};
constexpr Text kLabel{"the inputs of a step are kept {copies} times, {inputs} each",
                      "一步的输入保留 {copies} 份，每份 {inputs}"};
constexpr Text kOne{"with one copy the step would take {one}, which fits",
                    "只留一份时一步占 {one}，放得下"};
constexpr Text kBecause{
    "with all layers shared out over several GPUs they work on {copies} steps at once, and each "
    "GPU keeps the inputs of all of them",
    "所有层分放在多张 GPU 上时，这些 GPU 会同时处理 {copies} 步，每张 GPU 都要保留它们的全部输入"};
constexpr Text kOtherwise{
    "\"failed to allocate compute buffers\" after loading; newer builds then go on without "
    "pipelining, older ones exit",
    "加载之后报“failed to allocate compute buffers”；较新的构建会改为不用流水线继续，较旧的会退出"};

constexpr Need kNeeds[] = {Need::MemoryBudget};

std::vector<Complaint> check(const Case& c) {
  const auto verdict = llama_verdict(c);
  if (!verdict || verdict->what != LlamaBreak::Copies) return {};
  const LlamaDevice& device = verdict->at();
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  const Argument copies("copies", verdict->place.copies);
  const Bytes left = std::max(device.free - (device.needed() - device.step), Bytes{0});
  d.title = {kTitle, {{"step", device.step}, {"gpu", gpu_word(c, device)}, copies, {"left", left}}};
  const Message label = {kLabel, {copies, {"inputs", device.step_inputs}}};
  mark(d, c.serve.physical_batch, label);
  if (d.labels.empty()) mark(d, c.serve.max_model_len, label);
  if (d.labels.empty()) mark(d, c.serve.model, label);
  tell_devices(c, verdict->place, d);
  d.basis.push_back({kOne, {{"one", verdict->place.step_of_one_copy}}});
  d.because = {kBecause, {copies}};
  d.otherwise = kOtherwise;
  d.subject = "--ubatch-size";
  if (c.asked_again) return {complaint};
  propose_smaller_steps(c, complaint.proposals);
  propose_shorter_context(c, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule pipeline_copies_compute_buffer{
    .code = "SX3112",
    .name = "pipeline-copies-compute-buffer",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
