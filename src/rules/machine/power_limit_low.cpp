// SX5118. The long explanation and the scenes are in power_limit_low.md.
#include <vector>

#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"GPU {gpus} may draw {limit} W of the {usual} W that are its default",
                      "GPU {gpus} 的功耗上限是 {limit} W，默认为 {usual} W"};
constexpr Text kLabel{"the card's default", "该卡的默认值"};
constexpr Text kBasis{"GPU {gpu}: default power limit {usual} W",
                      "GPU {gpu}：默认功耗上限 {usual} W"};
constexpr Text kBecause{
    "a lower cap lowers the clocks under full load: prompts take longer, single tokens hardly, as "
    "those wait for memory",
    "上限更低时，满载的频率也更低：处理提示词变慢；逐个生成 token 时瓶颈在显存，影响很小"};
constexpr Text kOtherwise{
    "it runs; long prompts are worked through more slowly than the card could",
    "可以运行；长提示词的处理速度低于 GPU 应有的水平"};
constexpr Text kNoFix{"if it is not meant: `nvidia-smi -i {gpus} -pl {usual}`",
                      "如果并非有意设置：`nvidia-smi -i {gpus} -pl {usual}`"};

constexpr Need kNeeds[] = {Need::HostPower};

// Caps a little below are common and cost next to nothing.
constexpr double kNoticeable = 0.75;

bool capped(const Gpu& gpu) {
  return gpu.power_limit_w.known() && gpu.state.power_default_w.known() &&
         gpu.power_limit_w.value() < kNoticeable * gpu.state.power_default_w.value();
}

std::vector<Complaint> check(const Case& c) {
  std::vector<const Gpu*> low;
  for (const Gpu* card : cards_in_question(c)) {
    if (capped(*card)) low.push_back(card);
  }
  if (low.empty()) return {};
  const Gpu& first = *low.front();
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument gpus("gpus", numbers_of(low)), usual("usual", first.state.power_default_w.value());
  d.title = {kTitle, {gpus, {"limit", first.power_limit_w.value()}, usual}};
  show(d, first.state.power_default_w, kLabel, {kBasis, {{"gpu", first.index}, usual}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "power limit";
  d.no_fix = {kNoFix, {gpus, usual}};
  return {complaint};
}

}  // namespace

extern const Rule power_limit_low{
    .code = "SX5118",
    .name = "power-limit-low",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
