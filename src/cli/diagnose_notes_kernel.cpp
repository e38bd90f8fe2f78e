// What the kernel's log tells of GPUs, links and killed processes, with the number of the card
// where the machine is known.
#include <algorithm>

#include "cli/diagnose_notes.h"
#include "cli/rank_gpus.h"
#include "knowledge/xids.h"

namespace sx {
namespace {

constexpr std::size_t kMostKernelSaid = 8;

constexpr Text kXid{"Xid {code} on {gpu}: {meaning}", "Xid {code}，位于 {gpu}：{meaning}"};
constexpr Text kXidAction{"Xid {code} on {gpu}: {meaning}; what helps: {action}",
                          "Xid {code}，位于 {gpu}：{meaning}；处理：{action}"};
constexpr Text kXidUnknown{"Xid {code} on {gpu}, which is not in the catalogue",
                           "数据表里没有的 Xid {code}，位于 {gpu}"};
constexpr Text kSxid{"SXid {code} of the NVSwitch at {gpu}", "NVSwitch {gpu} 的 SXid {code}"};
constexpr Text kFellOff{"{gpu} has fallen off the bus", "从总线上掉线：{gpu}"};
constexpr Text kMismatch{"the driver's library and its kernel module have unlike versions",
                         "驱动的库与内核模块版本不一致"};
constexpr Text kPcie{"errors on the PCIe link of {gpu}, corrected ones not counted",
                     "PCIe 链路有错误（不含已纠正的）：{gpu}"};
constexpr Text kIommu{"the IOMMU stopped a transfer of {gpu}", "IOMMU 拦下了一次传输，设备：{gpu}"};
constexpr Text kKilled{"the kernel killed {process} for lack of host memory",
                       "内核因内存不足杀掉了 {process}"};
constexpr Text kKilledGroup{"the kernel killed {process} at the memory limit of its container",
                            "{process} 触及容器的内存上限，被内核杀掉"};
constexpr Text kMoreKernel{"{count} more kinds of kernel messages", "另有 {count} 类内核消息"};
constexpr Text kSomeGpu{"a GPU", "某张 GPU"};
constexpr Text kGpuNumber{"GPU {gpu} ({bus})", "GPU {gpu}（{bus}）"};
constexpr Text kSomeProcess{"a process", "某个进程"};

Both gpu_words(const HostSpec* host, std::string_view pci) {
  if (pci.empty()) return in_both({kSomeGpu});
  if (const Gpu* gpu = gpu_at(host, pci))
    return in_both({kGpuNumber, {{"gpu", gpu->index}, {"bus", pci}}});
  return {std::string(pci), std::string(pci)};
}

void add_xid(NoteList& notes, const KernelNote& note, const Argument& gpu) {
  const XidRow* const row = find_xid(note.event.code);
  const Argument code{"code", note.event.code};
  if (row == nullptr || row->meaning.empty()) return notes.add({kXidUnknown, {code, gpu}}, note.at);
  const Argument meaning{"meaning",
                         Both{std::string(row->meaning), std::string(row->meaning_chinese)}};
  if (row->action.empty()) return notes.add({kXid, {code, gpu, meaning}}, note.at);
  const Argument action{"action", Both{std::string(row->action), std::string(row->action_chinese)}};
  notes.add({kXidAction, {code, gpu, meaning, action}}, note.at);
}

void add_event(NoteList& notes, const KernelNote& note, const HostSpec* host) {
  const KernelEvent& event = note.event;
  const Argument gpu{"gpu", gpu_words(host, event.pci)};
  switch (event.kind) {
    case KernelEvent::Kind::Xid:
      return add_xid(notes, note, gpu);
    case KernelEvent::Kind::Sxid:
      return notes.add({kSxid, {{"code", event.code}, gpu}}, note.at);
    case KernelEvent::Kind::FellOffBus:
      return notes.add({kFellOff, {gpu}}, note.at);
    case KernelEvent::Kind::ApiMismatch:
      return notes.add({kMismatch}, note.at);
    case KernelEvent::Kind::PcieError:
      return notes.add({kPcie, {gpu}}, note.at);
    case KernelEvent::Kind::IommuFault:
      return notes.add({kIommu, {gpu}}, note.at);
    case KernelEvent::Kind::OutOfMemory:
      const Argument process{"process", event.process.empty() ? in_both({kSomeProcess})
                                                              : Both{event.process, event.process}};
      return notes.add({event.severe ? kKilledGroup : kKilled, {process}}, note.at);
  }
}

}  // namespace

void add_kernel_notes(NoteList& notes, const std::vector<KernelNote>& kernel,
                      const HostSpec* host) {
  notes.begin("kernel");
  std::size_t said = 0;
  for (const KernelNote& note : kernel) {
    if (++said > kMostKernelSaid) break;
    add_event(notes, note, host);
  }
  if (kernel.size() > kMostKernelSaid)
    notes.add({kMoreKernel, {{"count", kernel.size() - kMostKernelSaid}}});
}

}  // namespace sx
