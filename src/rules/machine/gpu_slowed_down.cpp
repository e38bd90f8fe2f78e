// SX5109. The long explanation and the scenes are in gpu_slowed_down.md.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"GPU {gpus} is being slowed down now: {reasons}",
                      "GPU {gpus} 正在被降频：{reasons}"};
constexpr Text kLabel{"of GPU {gpu}", "GPU {gpu}"};
constexpr Text kBasis{"GPU {gpu}: {reasons}", "GPU {gpu}：{reasons}"};
constexpr Text kHot{"GPU {gpu} is at {degrees} °C", "GPU {gpu} 的温度为 {degrees} °C"};
constexpr Text kBecause{
    "the card lowers its clocks by itself when it gets too hot or when its power supply asks for "
    "it; "
    "the ranks of a tensor group wait for the slowest",
    "过热或供电告警时，GPU 会自行降频；同一张量并行组的各 rank 都要等最慢的那张"};
constexpr Text kOtherwise{
    "it runs, at a fraction of its speed and unevenly, and no message says so",
    "可以运行，但速度大打折扣而且忽快忽慢，没有任何提示"};
constexpr Text kNoFix{
    "heat: air flow, fans, dust, neighbours; power brake: supply, cables, the board's power-brake "
    "pin",
    "过热：检查风道、风扇、灰尘和相邻的卡；电源制动（Power "
    "Brake）：检查电源、线缆和主板上的对应引脚"};

constexpr Need kNeeds[] = {Need::HostSlowdowns};

// A cap on power is normal under load, and clocks that someone set are meant.
std::vector<std::string> alarms_of(const Gpu& gpu) {
  constexpr std::array<std::string_view, 4> kAlarms{
      "HW Thermal Slowdown", "HW Power Brake Slowdown", "SW Thermal Slowdown", "HW Slowdown"};
  std::vector<std::string> alarms;
  if (!gpu.state.slowdowns.known()) return alarms;
  const auto& active = gpu.state.slowdowns.value();
  for (const std::string_view alarm : kAlarms) {
    // The general one says nothing more than its parts.
    const bool again = alarm == "HW Slowdown" && !alarms.empty();
    if (!again && std::ranges::find(active, alarm) != active.end()) alarms.emplace_back(alarm);
  }
  return alarms;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<const Gpu*> slowed;
  for (const Gpu* card : cards_in_question(c)) {
    if (!alarms_of(*card).empty()) slowed.push_back(card);
  }
  if (slowed.empty()) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle,
             {{"gpus", numbers_of(slowed)}, {"reasons", join(alarms_of(*slowed.front()), ", ")}}};
  for (const Gpu* card : slowed) {
    if (d.labels.size() + d.basis.size() >= 3) break;
    const Argument gpu("gpu", card->index);
    show(d, card->state.slowdowns, {kLabel, {gpu}},
         {kBasis, {gpu, {"reasons", join(alarms_of(*card), ", ")}}});
  }
  const Gpu& first = *slowed.front();
  if (first.state.temperature_c.known())
    d.basis.push_back(
        {kHot, {{"gpu", first.index}, {"degrees", first.state.temperature_c.value()}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "GPU " + numbers_of(slowed);
  d.no_fix = kNoFix;
  std::vector<const Gpu*> bad;
  for (const Gpu& gpu : c.host().gpus) {
    if (!alarms_of(gpu).empty()) bad.push_back(&gpu);
  }
  propose_other_cards(c, bad, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule gpu_slowed_down{
    .code = "SX5109",
    .name = "gpu-slowed-down",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
