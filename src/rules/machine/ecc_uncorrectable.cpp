// SX5103. The long explanation and the scenes are in ecc_uncorrectable.md.
#include <algorithm>
#include <vector>

#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kFailed{"the memory of GPU {gpus} could not be repaired: no spare rows are left",
                       "GPU {gpus} 的显存无法再修复：备用行已用完"};
constexpr Text kPending{"GPU {gpus} waits for a reset that takes faulty memory out of use",
                        "GPU {gpus} 有故障显存，等待复位后才会停用"};
constexpr Text kNow{
    "GPU {gpus} has had {count} uncorrectable memory errors since its driver was loaded",
    "自驱动加载以来，GPU {gpus} 出现过 {count} 次不可纠正的显存错误"};
constexpr Text kLabel{"of GPU {gpu}", "GPU {gpu}"};
constexpr Text kFailedBasis{"GPU {gpu}: remapping failure occurred", "GPU {gpu}：行重映射未成功"};
constexpr Text kPendingBasis{"GPU {gpu}: a remapping or retirement is pending",
                             "GPU {gpu}：行重映射或页退役待生效"};
constexpr Text kNowBasis{"GPU {gpu}: {count} uncorrectable errors",
                         "GPU {gpu}：{count} 次不可纠正的错误"};
constexpr Text kBecause{
    "memory that has failed once fails again; it is replaced by spare rows only when the card is "
    "reset, and only while there are some",
    "出过错的显存还会再出错；只有在复位时才换成备用行，而且备用行有限"};
constexpr Text kOtherwise{
    "it starts; when a process touches the faulty memory, it is ended (Xid 48, 94 or 95) and the "
    "whole launch with it, often seen as a time-out of a rank",
    "可以启动；一旦有进程碰到故障显存，就会被终止（Xid 48、94 或 95），整个服务随之退出，"
    "往往表现为某个 rank 超时"};
constexpr Text kReplace{"have the card replaced; until then keep launches off GPU {gpus}",
                        "更换这张卡；在此之前不要在 GPU {gpus} 上启动"};
constexpr Text kReset{
    "end what uses GPU {gpus}, then `nvidia-smi --gpu-reset -i {gpus}` or restart the machine",
    "结束使用 GPU {gpus} 的进程，再执行 `nvidia-smi --gpu-reset -i {gpus}`，或重启机器"};

constexpr Need kNeeds[] = {Need::HostErrors};

enum class Trouble { None, Now, Pending, Failed };

Trouble trouble_of(const Gpu& gpu) {
  const auto& state = gpu.state;
  if (state.remap_failed.value_or(false)) return Trouble::Failed;
  if (state.remap_pending.value_or(false) || state.retirement_pending.value_or(false))
    return Trouble::Pending;
  return state.ecc_uncorrected.value_or(0) > 0 ? Trouble::Now : Trouble::None;
}

void show_first(Diagnostic& d, const Gpu& gpu, Trouble trouble) {
  const auto& state = gpu.state;
  const Argument number("gpu", gpu.index);
  const Message label{kLabel, {number}};
  if (trouble == Trouble::Failed) {
    show(d, state.remap_failed, label, {kFailedBasis, {number}});
  } else if (trouble == Trouble::Pending) {
    show(d, state.remap_pending.value_or(false) ? state.remap_pending : state.retirement_pending,
         label, {kPendingBasis, {number}});
  } else {
    show(d, state.ecc_uncorrected, label,
         {kNowBasis, {number, {"count", state.ecc_uncorrected.value()}}});
  }
}

Complaint complaint_of(Trouble trouble, const std::vector<const Gpu*>& cards) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument gpus("gpus", numbers_of(cards));
  if (trouble == Trouble::Failed) d.title = {kFailed, {gpus}};
  if (trouble == Trouble::Pending) d.title = {kPending, {gpus}};
  if (trouble == Trouble::Now) {
    std::int64_t count = 0;
    for (const Gpu* card : cards) count += card->state.ecc_uncorrected.value_or(0);
    d.title = {kNow, {gpus, {"count", count}}};
  }
  for (const Gpu* card : cards) {
    if (d.labels.size() + d.basis.size() < 3) show_first(d, *card, trouble);
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "GPU " + numbers_of(cards);
  d.no_fix = {trouble == Trouble::Failed ? kReplace : kReset, {gpus}};
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const auto cards = cards_in_question(c);
  std::vector<const Gpu*> bad;
  for (const Gpu& gpu : c.host().gpus) {
    if (trouble_of(gpu) != Trouble::None) bad.push_back(&gpu);
  }
  std::vector<Complaint> complaints;
  for (const Trouble trouble : {Trouble::Failed, Trouble::Pending, Trouble::Now}) {
    std::vector<const Gpu*> these;
    for (const Gpu* card : cards) {
      if (trouble_of(*card) == trouble) these.push_back(card);
    }
    if (these.empty()) continue;
    complaints.push_back(complaint_of(trouble, these));
    propose_other_cards(c, bad, complaints.back().proposals);
  }
  return complaints;
}

}  // namespace

extern const Rule ecc_uncorrectable{
    .code = "SX5103",
    .name = "ecc-uncorrectable",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
