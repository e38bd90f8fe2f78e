// SX5105. The long explanation and the scenes are in xid_in_kernel_log.md.
#include <algorithm>
#include <string>
#include <vector>

#include "check/gpu_condition.h"
#include "knowledge/xids.h"

namespace sx::rules {
namespace {

constexpr int kOffBus = 79;           // has a rule of its own
constexpr std::size_t kMostTold = 4;  // a broken card says many things; the first are telling

constexpr Text kTitle{"the kernel reports Xid {xid} of GPU {gpu}: {meaning}",
                      "内核报告 GPU {gpu} 的 Xid {xid}：{meaning}"};
constexpr Text kPlace{"the kernel reports Xid {xid} of the GPU at {pci}: {meaning}",
                      "内核报告 {pci} 处 GPU 的 Xid {xid}：{meaning}"};
constexpr Text kLabel{"times in the log: {times}", "日志中的次数：{times}"};
constexpr Text kQuote{"kernel: {text}", "内核：{text}"};
constexpr Text kBecause{
    "this number stands for a fault of card, link or firmware, not of the program that ran",
    "这个编号表示 GPU、链路或固件的故障，而不是当时运行的程序的问题"};
constexpr Text kOtherwise{
    "what it stopped once it stops again: a launch on this card hangs in a collective or a rank "
    "dies, after start-up or while serving",
    "发生过一次就可能再次发生：用到这张卡的服务会在启动之后或运行中卡在集合通信，或有 rank 退出"};
constexpr Text kReset{
    "end what uses the card and reset it (`nvidia-smi --gpu-reset -i N`); when the number comes "
    "back, restart the machine and have the card looked at",
    "结束使用该卡的进程并复位（`nvidia-smi --gpu-reset -i "
    "N`）；如果该编号再次出现，重启机器并检修 GPU"};
constexpr Text kRestart{
    "restart the machine; when the number comes back, have the card and its links looked at",
    "重启机器；如果该编号再次出现，检修 GPU 及其链路"};

constexpr Need kNeeds[] = {Need::HostKernelLog};

Complaint complaint_of(const Case& c, const KernelEvent& event, const XidRow& row,
                       const Gpu* card) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument xid("xid", event.code);
  const Argument meaning("meaning",
                         Both{std::string(row.meaning), std::string(row.meaning_chinese)});
  d.title = card != nullptr ? Message{kTitle, {xid, {"gpu", card->index}, meaning}}
                            : Message{kPlace, {xid, {"pci", event.pci}, meaning}};
  if (event.span) {
    mark(d, *event.span, {kLabel, {{"times", event.times}}});
  } else {
    d.basis.push_back({kQuote, {{"text", event.text}}});
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "Xid " + std::to_string(event.code);
  d.no_fix = row.bucket == "RESET_GPU" ? kReset : kRestart;
  if (card != nullptr) propose_other_cards(c, {card}, complaint.proposals);
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const auto cards = cards_in_question(c);
  std::vector<Complaint> complaints;
  for (const KernelEvent& event : c.host().state.kernel_events.value()) {
    if (event.kind != KernelEvent::Kind::Xid || event.code == kOffBus) continue;
    const XidRow* row = find_xid(event.code);
    // Numbers that a program of its own causes say nothing of the machine.
    if (row == nullptr || !row->machine_fault || row->scope == "app") continue;
    const Gpu* card = card_at(c.host(), event.pci);
    if (card != nullptr && std::ranges::find(cards, card) == cards.end()) continue;
    if (complaints.size() < kMostTold) complaints.push_back(complaint_of(c, event, *row, card));
  }
  return complaints;
}

}  // namespace

extern const Rule xid_in_kernel_log{
    .code = "SX5105",
    .name = "xid-in-kernel-log",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
