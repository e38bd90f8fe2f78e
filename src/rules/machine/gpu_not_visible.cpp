// SX5111. The long explanation and the scenes are in gpu_not_visible.md.
#include <algorithm>
#include <vector>

#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{bus} NVIDIA GPUs stand on the bus and the driver shows {seen}",
                      "总线上有 {bus} 张 NVIDIA GPU，而驱动只显示 {seen} 张"};
constexpr Text kLabel{"the first of {bus}", "共 {bus} 张，这是第一张"};
constexpr Text kBus{"lspci lists {bus}", "lspci 列出 {bus} 张"};
constexpr Text kWanted{"the launch wants {wanted}", "启动命令需要 {wanted} 张"};
constexpr Text kBecause{
    "a card that the driver does not show is handed to a virtual machine, hidden from the "
    "container, excluded, or did not come up",
    "驱动没有显示的卡，可能分给了虚拟机、没有交给容器、被排除，或者没有初始化成功"};
constexpr Text kOtherwise{
    "a launch on more GPUs than the driver shows exits at the start; numbers in "
    "CUDA_VISIBLE_DEVICES "
    "shift by the missing one",
    "若所需 GPU 多于驱动显示的数量，引擎一启动就退出；CUDA_VISIBLE_DEVICES "
    "里的编号也会因缺卡而错位"};
constexpr Text kNoFix{
    "look for the card's address in the kernel's log (`dmesg | grep -i nvrm`); in a container "
    "compare with `nvidia-smi` of the host",
    "在内核日志里查找该卡的地址（`dmesg | grep -i nvrm`）；如果在容器里，与主机上的 `nvidia-smi` "
    "对照"};

constexpr Need kNeeds[] = {Need::HostBus, Need::HostGpus};

std::vector<Complaint> check(const Case& c) {
  const HostSpec& host = c.host();
  const int bus = host.state.pci_gpus.value(), seen = host.gpu_count.value();
  // Fewer on the bus than shown: only a part of the listing was pasted.
  if (bus <= seen) return {};
  const int wanted = c.serve.gpus_wanted().value_or(1);
  Complaint complaint;
  // A launch that has enough all the same only hears of it.
  complaint.severity = wanted > seen ? Severity::Warning : Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  const Argument count("bus", bus);
  d.title = {kTitle, {count, {"seen", seen}}};
  show(d, host.state.pci_gpus, {kLabel, {count}}, {kBus, {count}});
  if (wanted > seen) d.basis.push_back({kWanted, {{"wanted", wanted}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "GPUs";
  d.no_fix = kNoFix;
  return {complaint};
}

}  // namespace

extern const Rule gpu_not_visible{
    .code = "SX5111",
    .name = "gpu-not-visible",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
