// SX4108. The long explanation and the scenes are in quant_capability_unsupported.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/quantisation.h"
#include "rules/model/capability_words.h"
#include "rules/model/number_format.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kWidened{"NVFP4 weights on {card}, which has no FP4 units",
                        "{card} 没有 FP4 单元，权重却是 NVFP4"};
constexpr Text kWidenedWhy{
    "tensor units for FP4 come with compute capability {native}; below, a kernel (Marlin) widens "
    "the weights as it reads them",
    "计算能力 {native} 起才有 FP4 张量单元；低于它时由内核（Marlin）在读取权重时展开成 16 位"};
constexpr Text kWidenedSo{
    "it runs and saves memory; few users at a time still gain, long prompts and many users are no "
    "faster than in 16 bit",
    "可以运行，也省显存；并发少时仍有收益，长提示词和高并发时不会比 16 位更快"};

constexpr Need kNeeds[] = {Need::ModelQuantisation, Need::HostGpuKind, Need::VisibleDevices};

std::vector<Complaint> check(const Case& c) {
  const Gpu* gpu = weakest_gpu(c);
  const auto format = number_format(c);
  if (gpu == nullptr || !format || format->fp8) return {};
  if (const auto gap = capability_gap(c, *format, *gpu)) return {too_old(c, *format, *gap, *gpu)};
  const QuantisationRow* native =
      quantisation_in(c.serve.engine, QuantisationKind::Native, "nvfp4", c.serve.version);
  const bool widened = format->fp4 && needed_capability(*format, c.serve).has_value() &&
                       native != nullptr && native->capability &&
                       gpu->capability.value() < *native->capability;
  if (!widened) return {};
  Complaint complaint;
  complaint.severity = Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kWidened, {{"card", card_words(c, *gpu)}}};
  mark_format(c, d, *format);
  d.because = {kWidenedWhy, {{"native", native->capability->text()}}};
  d.otherwise = kWidenedSo;
  d.subject = "quantisation";
  return {complaint};
}

}  // namespace

extern const Rule quant_capability_unsupported{
    .code = "SX4108",
    .name = "quant-capability-unsupported",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
