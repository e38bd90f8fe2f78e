// SX6104. The long explanation and the scenes are in pcie_link_narrow.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kNarrow{"GPU {gpu} has {now} PCIe lanes of {full}",
                       "GPU {gpu} 只连上 {now} 条 PCIe 通道，应为 {full} 条"};
constexpr Text kSlow{"GPU {gpu} runs PCIe generation {now} under load, {full} is possible",
                     "GPU {gpu} 在负载下只运行 PCIe {now} 代，本可达到 {full} 代"};
constexpr Text kLabel{"lanes in use", "在用的通道数"};
constexpr Text kBasis{"GPU {gpu}: {now} lanes in use", "GPU {gpu}：在用 {now} 条通道"};
constexpr Text kSlowLabel{"generation in use", "在用的代数"};
constexpr Text kSlowBasis{"GPU {gpu}: generation {now} in use", "GPU {gpu}：在用第 {now} 代"};
constexpr Text kOthers{"as narrow: GPU {gpus}", "同样偏窄：GPU {gpus}"};
constexpr Text kBecause{
    "lanes are settled when the card starts: a riser, a slot shared with a disk, dust or a bad "
    "seat "
    "takes some away; the generation drops when idle and must come back under load",
    "通道数在 GPU 启动时确定：转接卡、与硬盘共用的插槽、灰尘或没插紧都会使其减少；"
    "代数在空闲时会下降，负载下应当恢复"};
constexpr Text kOtherwise{
    "it runs; weights load more slowly, and with several cards without NVLink each exchange takes "
    "as long as on the narrowest",
    "可以运行；权重加载变慢，多卡又没有 NVLink 时，每次交换都受限于通道最少的那张卡"};
constexpr Text kNoFix{
    "seat the card again, without a riser if there is one; look into the board's manual for slots "
    "that share lanes",
    "重新插好 GPU，如有转接卡就去掉；查阅主板手册，看哪些插槽共用通道"};

constexpr Need kNeeds[] = {Need::HostPcie};

// "4x16" of the data sheet: 16.
std::optional<int> lanes_of_sheet(const Gpu& gpu) {
  if (!gpu.name.known()) return {};
  const GpuKind* kind = gpu_by_driver_name(gpu.name.value(), {});
  if (kind == nullptr) return {};
  const auto x = kind->pcie.find('x');
  if (x == kind->pcie.npos) return {};
  const auto lanes = to_integer(kind->pcie.substr(x + 1));
  if (!lanes || *lanes < 1 || *lanes > 16) return {};
  return static_cast<int>(*lanes);
}

struct Trouble {
  const Gpu* gpu = nullptr;
  int now = 0, full = 0;
  bool lanes = true;
};

std::optional<Trouble> trouble_of(const Gpu& gpu) {
  const auto& state = gpu.state;
  if (!state.pcie_width.known()) return {};
  const int now = state.pcie_width.value();
  // What card and slot can do together; else what the card has.
  const int full = std::max(state.pcie_width_max.value_or(0), lanes_of_sheet(gpu).value_or(0));
  if (now > 0 && now < full) return Trouble{&gpu, now, full, true};
  const bool busy = state.utilisation.value_or(0) >= 10 && state.performance_state.value_or(8) <= 2;
  const int step = state.pcie_generation.value_or(0), most = state.pcie_generation_max.value_or(0);
  if (busy && step > 0 && step < most) return Trouble{&gpu, step, most, false};
  return {};
}

std::vector<Complaint> check(const Case& c) {
  std::optional<Trouble> worst;
  std::vector<const Gpu*> also_narrow;
  for (const Gpu* card : cards_in_question(c)) {
    const auto trouble = trouble_of(*card);
    if (!trouble) continue;
    also_narrow.push_back(card);
    const bool worse = !worst || (trouble->lanes && (!worst->lanes || trouble->now < worst->now));
    if (worse) worst = trouble;
  }
  if (!worst) return {};
  std::erase(also_narrow, worst->gpu);

  Complaint complaint;
  // One card alone feels it only while it loads.
  const bool exchanges = c.serve.world_size().value_or(1) > 1;
  complaint.severity = exchanges ? Severity::Warning : Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  const Argument gpu("gpu", worst->gpu->index), now("now", worst->now), full("full", worst->full);
  d.title = {worst->lanes ? kNarrow : kSlow, {gpu, now, full}};
  if (worst->lanes) {
    show(d, worst->gpu->state.pcie_width, kLabel, {kBasis, {gpu, now}});
  } else {
    show(d, worst->gpu->state.pcie_generation, kSlowLabel, {kSlowBasis, {gpu, now}});
  }
  if (!also_narrow.empty()) d.basis.push_back({kOthers, {{"gpus", numbers_of(also_narrow)}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "PCIe";
  d.no_fix = kNoFix;
  std::vector<const Gpu*> bad;
  for (const Gpu& one : c.host().gpus) {
    if (trouble_of(one)) bad.push_back(&one);
  }
  propose_other_cards(c, bad, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule pcie_link_narrow{
    .code = "SX6104",
    .name = "pcie-link-narrow",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
