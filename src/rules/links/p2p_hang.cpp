// SX6105. The long explanation and the scenes are in p2p_hang.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/gpu_condition.h"
#include "check/launch_variables.h"
#include "check/rule_engines.h"
#include "fit/links.h"

namespace sx::rules {
namespace {

constexpr Text kFault{"the IOMMU stopped a transfer of GPU {gpu}", "IOMMU 拦下了 GPU {gpu} 的传输"};
constexpr Text kAcs{"PCIe ports send transfers between GPUs {gpus} up to the processor (ACS)",
                    "PCIe 端口会把 GPU {gpus} 之间的传输转到处理器（ACS）"};
constexpr Text kIommu{
    "the IOMMU translates transfers between GPUs {gpus}, which claim direct access",
    "IOMMU 会转换 GPU {gpus} 之间的传输，而它们声称可以直接访问"};
constexpr Text kGuest{"GPUs {gpus} of a virtual machine claim direct access over PCIe",
                      "虚拟机里的 GPU {gpus} 声称可以经 PCIe 直接访问"};
constexpr Text kFaultLabel{"times in the log: {times}", "日志中的次数：{times}"};
constexpr Text kFaultBasis{"kernel: {text}", "内核：{text}"};
constexpr Text kAcsLabel{"the first port that does", "第一个这样的端口"};
constexpr Text kAcsBasis{"ports with ReqRedir+: {ports}", "带 ReqRedir+ 的端口：{ports}"};
constexpr Text kIommuLabel{"without iommu=pt", "没有 iommu=pt"};
constexpr Text kIommuBasis{"the kernel was started with {option} and without iommu=pt",
                           "内核启动参数有 {option}，没有 iommu=pt"};
constexpr Text kGuestLabel{"a virtual machine", "虚拟机"};
constexpr Text kGuestBasis{"hypervisor: {name}", "虚拟化平台：{name}"};
constexpr Text kPeers{"`nvidia-smi topo -p2p r` says OK between them, over {link}",
                      "`nvidia-smi topo -p2p r` 显示它们之间为 OK，经由 {link}"};
constexpr Text kBecause{
    "the driver grants direct transfers by the kind of card and board; whether they arrive is "
    "decided "
    "by what stands between, and no call tells",
    "驱动按 GPU 和主板的类型放行直连传输；数据能否到达取决于中间的部件，没有接口能查到"};
constexpr Text kOtherwise{
    "it may be fine; if transfers do not arrive, the log stops where the ranks join, all cards at "
    "100 % and low power, or the output is garbage",
    "可能没有问题；如果传输到不了对方，日志会停在各 rank 汇合处，所有卡 100% 占用但功耗很低，"
    "或者输出乱码"};
constexpr Text kTest{"without direct transfers, as a test: slower, and sure to arrive",
                     "先不用直连传输做排查：更慢，但一定能到达"};
constexpr Text kNoFix{
    "`iommu=pt` for the kernel, ACS off in the firmware or with `setpci`; then compare a copy "
    "between "
    "two cards byte by byte",
    "内核加 `iommu=pt`，在固件里或用 `setpci` 关闭 ACS；再逐字节比较两张卡之间的拷贝"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::VisibleDevices, Need::HostPeers};

struct Pair {
  const Gpu *one = nullptr, *other = nullptr;
  std::string link;
};

// Two cards of the launch that claim direct access over PCIe.
std::optional<Pair> claiming_pair(const HostSpec& host, const std::vector<const Gpu*>& cards) {
  const auto &classes = host.links.classes, &p2p = host.links.p2p;
  for (std::size_t a = 0; a < p2p.size() && a < host.gpus.size(); ++a) {
    for (std::size_t b = a + 1; b < p2p[a].size() && b < host.gpus.size(); ++b) {
      const bool claimed = p2p[a][b] == "OK" && a < classes.size() && b < classes[a].size();
      if (!claimed || is_nvlink(classes[a][b])) continue;
      const Gpu *one = &host.gpus[a], *other = &host.gpus[b];
      if (std::ranges::find(cards, one) != cards.end() &&
          std::ranges::find(cards, other) != cards.end())
        return Pair{one, other, classes[a][b]};
    }
  }
  return {};
}

// The option by which an IOMMU translates; empty: none, or it lets transfers pass.
std::string translating(const std::string& options) {
  std::string found;
  for (const std::string_view word : split(options, ' ')) {
    if (word == "iommu=pt" || word == "iommu=off" || word == "amd_iommu=off" ||
        word == "intel_iommu=off" || word == "iommu.passthrough=1")
      return {};
    if (word == "intel_iommu=on" || word == "amd_iommu=on" || word == "amd_iommu=force_isolation" ||
        word == "iommu=force")
      found = word;
  }
  return found;
}

// A fault of one of these cards; other devices have their own troubles.
const KernelEvent* fault_of(const HostSpec& host, const std::vector<const Gpu*>& cards) {
  if (!host.state.kernel_events.known()) return nullptr;
  const auto& events = host.state.kernel_events.value();
  const auto found = std::ranges::find_if(events, [&](const KernelEvent& event) {
    const Gpu* card = card_at(host, event.pci);
    return event.kind == KernelEvent::Kind::IommuFault && card != nullptr &&
           std::ranges::find(cards, card) != cards.end();
  });
  return found == events.end() ? nullptr : &*found;
}

// The clearest sign first; false: none.
bool say_sign(const HostSpec& host, const std::vector<const Gpu*>& cards, const Argument& gpus,
              Diagnostic& d) {
  const auto& state = host.state;
  if (const KernelEvent* fault = fault_of(host, cards)) {
    d.title = {kFault, {{"gpu", card_at(host, fault->pci)->index}}};
    if (fault->span) {
      mark(d, *fault->span, {kFaultLabel, {{"times", fault->times}}});
    } else {
      d.basis.push_back({kFaultBasis, {{"text", fault->text}}});
    }
    return true;
  }
  if (state.acs_redirects.known() && !state.acs_redirects.value().empty()) {
    d.title = {kAcs, {gpus}};
    show(d, state.acs_redirects, kAcsLabel,
         {kAcsBasis, {{"ports", join(state.acs_redirects.value(), ", ")}}});
    return true;
  }
  const std::string option = translating(state.kernel_command_line.value_or(""));
  if (!option.empty()) {
    d.title = {kIommu, {gpus}};
    show(d, state.kernel_command_line, kIommuLabel, {kIommuBasis, {{"option", option}}});
    return true;
  }
  const std::string guest = state.hypervisor.value_or("");
  if (guest.empty()) return false;
  d.title = {kGuest, {gpus}};
  show(d, state.hypervisor, kGuestLabel, {kGuestBasis, {{"name", guest}}});
  return true;
}

bool already_off(const Case& c) {
  const auto off = launch_variable(c, "NCCL_P2P_DISABLE");
  return off && to_integer(trimmed(off->value)) == 1;
}

std::vector<Complaint> check(const Case& c) {
  const auto cards = cards_in_question(c);
  if (c.serve.world_size().value_or(1) < 2 || already_off(c)) return {};
  const auto pair = claiming_pair(c.host(), cards);
  if (!pair) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument gpus("gpus",
                      std::to_string(pair->one->index) + "," + std::to_string(pair->other->index));
  if (!say_sign(c.host(), cards, gpus, d)) return {};
  d.basis.push_back({kPeers, {{"link", pair->link}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "peer access";
  d.no_fix = kNoFix;
  std::vector<Change> changes{set_environment("NCCL_P2P_DISABLE", "1")};
  const FlagUse* own = c.serve.use_of("--disable-custom-all-reduce");
  if (own == nullptr) changes.push_back(add_switch("--disable-custom-all-reduce"));
  complaint.proposals.push_back({kTest, std::move(changes), Safety::ChangesBehaviour});
  return {complaint};
}

}  // namespace

extern const Rule p2p_hang{
    .code = "SX6105",
    .name = "p2p-hang",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
