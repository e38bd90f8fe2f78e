// SX5104. The long explanation and the scenes are in gpu_fallen_off_bus.md.
#include <algorithm>
#include <string>
#include <vector>

#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr int kXid = 79;  // the number by which this rule is known; its meaning is in data

constexpr Text kTitle{"the kernel lost GPU {gpu} from the PCIe bus",
                      "内核报告 GPU {gpu} 从 PCIe 总线上掉线"};
constexpr Text kPlace{"the kernel lost the GPU at {pci} from the PCIe bus",
                      "内核报告 {pci} 处的 GPU 从 PCIe 总线上掉线"};
constexpr Text kLabel{"times in the log: {times}", "日志中的次数：{times}"};
constexpr Text kQuote{"kernel: {text}", "内核：{text}"};
constexpr Text kBecause{
    "a card drops off the bus for lack of power, for heat, or for a bad slot, riser or cable; the "
    "load of a model is what brings it out",
    "GPU 掉线通常是供电不足、过热，或插槽、转接卡、线缆有问题；跑模型的负载正好使其暴露"};
constexpr Text kOtherwise{
    "every process on that card dies and the launch with it, after minutes or days of serving; "
    "the card stays away until the machine has been switched off and on",
    "服务几分钟或几天之后，该卡上的所有进程连同整个服务一起退出；断电重启之前该卡不会恢复"};
constexpr Text kNoFix{
    "switch the machine off and on, then check power supply, cables, riser, slot and temperature",
    "将机器断电重启，然后检查电源、线缆、转接卡、插槽和温度"};

constexpr Need kNeeds[] = {Need::HostKernelLog};

bool tells(const KernelEvent& event) {
  return event.kind == KernelEvent::Kind::FellOffBus ||
         (event.kind == KernelEvent::Kind::Xid && event.code == kXid);
}

Complaint complaint_of(const Case& c, const KernelEvent& event, const Gpu* card) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = card != nullptr ? Message{kTitle, {{"gpu", card->index}}}
                            : Message{kPlace, {{"pci", event.pci}}};
  if (event.span) {
    mark(d, *event.span, {kLabel, {{"times", event.times}}});
  } else {
    d.basis.push_back({kQuote, {{"text", event.text}}});
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "GPU " + event.pci;
  d.no_fix = kNoFix;
  if (card != nullptr) propose_other_cards(c, {card}, complaint.proposals);
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const auto cards = cards_in_question(c);
  std::vector<Complaint> complaints;
  std::vector<const Gpu*> told;
  for (const KernelEvent& event : c.host().state.kernel_events.value()) {
    if (!tells(event) || event.pci.empty() || complaints.size() >= 8) continue;
    const Gpu* card = card_at(c.host(), event.pci);
    // A card of the machine that the launch does not use is not its trouble; one that is not
    // listed any more may be the one that is missing.
    const bool used = card == nullptr || std::ranges::find(cards, card) != cards.end();
    const bool again = card != nullptr && std::ranges::find(told, card) != told.end();
    if (!used || again) continue;
    if (card != nullptr) told.push_back(card);
    complaints.push_back(complaint_of(c, event, card));
  }
  return complaints;
}

}  // namespace

extern const Rule gpu_fallen_off_bus{
    .code = "SX5104",
    .name = "gpu-fallen-off-bus",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
