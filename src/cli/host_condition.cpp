// Cards that say the same share a line.
#include "cli/host_condition.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::size_t kMostEvents = 8;  // kinds of Xid shown; `check` names each

constexpr Text kEccOn{"ECC is on: GPU {gpus}", "ECC 已开启：GPU {gpus}"};
constexpr Text kEccOff{"ECC is off: GPU {gpus}", "ECC 已关闭：GPU {gpus}"};
constexpr Text kMig{"MIG is on: GPU {gpus}", "MIG 已开启：GPU {gpus}"};
constexpr Text kLost{"not reached by the driver: GPU {gpus}", "驱动无法访问：GPU {gpus}"};
constexpr Text kErrors{"GPU {gpu}: {count} uncorrectable memory errors since the driver was loaded",
                       "GPU {gpu}：驱动加载以来有 {count} 个不可纠正的显存错误"};
constexpr Text kPending{"GPU {gpu}: a repair of its memory waits for a reset",
                        "GPU {gpu}：显存修复等待重置后生效"};
constexpr Text kFailed{"GPU {gpu}: its memory can no longer be repaired (row remap has failed)",
                       "GPU {gpu}：显存已无法修复（行重映射失败）"};
constexpr Text kSlowed{"GPU {gpu} is slowed down: {what}", "GPU {gpu} 正在降速：{what}"};
constexpr Text kXid{
    "kernel log: Xid {code}, seen {times}x, device {device} (`sextant explain xid {code}`)",
    "内核日志：Xid {code}，出现 {times} 次，设备 {device}（`sextant explain xid {code}`）"};
constexpr Text kMoreXids{"kernel log: {count} more kinds of Xid", "内核日志：另有 {count} 种 Xid"};

// Cards of which a truth is known to be `wanted`: "0, 1, 3".
template <class Get>
std::string cards(const HostSpec& host, Get get, bool wanted) {
  std::vector<int> numbers;
  for (const Gpu& gpu : host.gpus) {
    const Fact<bool>& fact = get(gpu);
    if (fact.known() && fact.value() == wanted) numbers.push_back(gpu.index);
  }
  return join(numbers);
}

template <class Get>
void add_cards(const HostSpec& host, Get get, bool wanted, const Text& text,
               std::vector<Message>& remarks) {
  const std::string numbers = cards(host, get, wanted);
  if (!numbers.empty()) remarks.push_back({text, {{"gpus", numbers}}});
}

void add_card(const Gpu& gpu, std::vector<Message>& remarks) {
  const Argument number("gpu", gpu.index);
  if (gpu.state.ecc_uncorrected.value_or(0) > 0)
    remarks.push_back({kErrors, {number, {"count", gpu.state.ecc_uncorrected.value()}}});
  if (gpu.state.remap_failed.value_or(false)) remarks.push_back({kFailed, {number}});
  if (gpu.state.remap_pending.value_or(false) || gpu.state.retirement_pending.value_or(false))
    remarks.push_back({kPending, {number}});
  const auto slowdowns = gpu.state.slowdowns.value_or({});
  if (!slowdowns.empty()) remarks.push_back({kSlowed, {number, {"what", join(slowdowns, ", ")}}});
}

void add_events(const HostSpec& host, std::vector<Message>& remarks) {
  std::map<std::pair<int, std::string>, int> times;  // by code and device
  for (const KernelEvent& event : host.state.kernel_events.value_or({})) {
    if (event.kind == KernelEvent::Kind::Xid) times[{event.code, event.pci}] += event.times;
  }
  std::size_t shown = 0;
  for (const auto& [event, count] : times) {
    if (++shown > kMostEvents) continue;
    remarks.push_back({kXid,
                       {{"code", event.first},
                        {"times", count},
                        {"device", event.second.empty() ? "?" : event.second}}});
  }
  if (shown > kMostEvents)
    remarks.push_back({kMoreXids, {{"count", static_cast<int>(shown - kMostEvents)}}});
}

}  // namespace

std::vector<Message> condition_remarks(const HostSpec& host) {
  std::vector<Message> remarks;
  const auto ecc = [](const Gpu& gpu) -> const Fact<bool>& { return gpu.ecc; };
  add_cards(host, ecc, true, kEccOn, remarks);
  add_cards(host, ecc, false, kEccOff, remarks);
  add_cards(host, [](const Gpu& gpu) -> const Fact<bool>& { return gpu.mig; }, true, kMig, remarks);
  add_cards(
      host, [](const Gpu& gpu) -> const Fact<bool>& { return gpu.state.lost; }, true, kLost,
      remarks);
  for (const Gpu& gpu : host.gpus) add_card(gpu, remarks);
  add_events(host, remarks);
  return remarks;
}

}  // namespace sx
