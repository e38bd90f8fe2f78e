// SX5108. The long explanation and the scenes are in compute_mode_refuses.md.
#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kProhibited{"GPU {gpus} is in compute mode Prohibited: no program may use it",
                           "GPU {gpus} 的计算模式是 Prohibited：任何程序都不能使用"};
constexpr Text kTaken{"GPU {gpu} takes one process only, and process {pid} ({name}) has it",
                      "GPU {gpu} 只允许一个进程使用，已被进程 {pid}（{name}）占用"};
constexpr Text kMode{"GPU {gpu}: compute mode {mode}", "GPU {gpu}：计算模式 {mode}"};
constexpr Text kOwnerLabel{"the process that has it", "占用它的进程"};
constexpr Text kOwner{"GPU {gpu}: process {pid}", "GPU {gpu}：进程 {pid}"};
constexpr Text kBecause{
    "the compute mode is the administrator's: Default lets any number of processes in, "
    "Exclusive_Process one, Prohibited none",
    "计算模式由管理员设置：Default 不限进程数，Exclusive_Process 只允许一个，Prohibited "
    "一个也不允许"};
constexpr Text kOtherwise{
    "the worker on that card exits at the start: \"all CUDA-capable devices are busy or "
    "unavailable\"",
    "这张卡上的工作进程一启动就退出：“all CUDA-capable devices are busy or unavailable”"};
constexpr Text kNoFix{"`nvidia-smi -i {gpus} -c 0` sets the mode back to Default",
                      "用 `nvidia-smi -i {gpus} -c 0` 把计算模式改回 Default"};

constexpr Need kNeeds[] = {Need::HostComputeMode};

bool prohibited(const Gpu& gpu) { return gpu.compute_mode == "Prohibited"; }
// "E. Process" in the table, "Exclusive_Process" elsewhere.
bool exclusive(const Gpu& gpu) {
  return gpu.compute_mode.starts_with("E. ") || gpu.compute_mode.starts_with("Exclusive");
}

// What draws a screen does not count for this mode: it computes nothing. A sharing server (MPS)
// lets others in.
const GpuProcess* owner_of(const Gpu& gpu) {
  if (!gpu.state.processes.known()) return nullptr;
  const auto& all = gpu.state.processes.value();
  const auto found = std::ranges::find_if(all, [](const GpuProcess& one) {
    return one.memory.has_value() && one.name.find("Xorg") == std::string::npos &&
           one.name.find("mps") == std::string::npos;
  });
  return found == all.end() ? nullptr : &*found;
}

void finish(const Case& c, Complaint& complaint, const std::vector<const Gpu*>& bad) {
  Diagnostic& d = complaint.diagnostic;
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "compute mode";
  d.no_fix = {kNoFix, {{"gpus", numbers_of(bad)}}};
  std::vector<const Gpu*> closed;
  for (const Gpu& gpu : c.host().gpus) {
    if (prohibited(gpu) || (exclusive(gpu) && owner_of(gpu) != nullptr)) closed.push_back(&gpu);
  }
  propose_other_cards(c, closed, complaint.proposals);
}

std::vector<Complaint> check(const Case& c) {
  std::vector<const Gpu*> forbidden;
  std::vector<Complaint> complaints;
  for (const Gpu* card : cards_in_question(c)) {
    if (prohibited(*card)) forbidden.push_back(card);
  }
  if (!forbidden.empty()) {
    Complaint complaint;
    complaint.diagnostic.title = {kProhibited, {{"gpus", numbers_of(forbidden)}}};
    complaint.diagnostic.basis.push_back(
        {kMode, {{"gpu", forbidden.front()->index}, {"mode", forbidden.front()->compute_mode}}});
    finish(c, complaint, forbidden);
    complaints.push_back(std::move(complaint));
  }
  for (const Gpu* card : cards_in_question(c)) {
    const GpuProcess* owner = exclusive(*card) ? owner_of(*card) : nullptr;
    if (owner == nullptr || !complaints.empty()) continue;
    Complaint complaint;
    Diagnostic& d = complaint.diagnostic;
    const Argument gpu("gpu", card->index), pid("pid", owner->pid);
    d.title = {kTaken, {gpu, pid, {"name", owner->name}}};
    show(d, card->state.processes, kOwnerLabel, {kOwner, {gpu, pid}});
    d.basis.push_back({kMode, {gpu, {"mode", card->compute_mode}}});
    finish(c, complaint, {card});
    complaints.push_back(std::move(complaint));
  }
  return complaints;
}

}  // namespace

extern const Rule compute_mode_refuses{
    .code = "SX5108",
    .name = "compute-mode-refuses",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
