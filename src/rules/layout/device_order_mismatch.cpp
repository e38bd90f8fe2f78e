// SX2123. The long explanation and the scenes are in device_order_mismatch.md.
#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"GPU numbers may mean other cards here: {first} beside {other}",
                      "GPU 编号可能指向别的卡：这里混有 {first} 和 {other}"};
constexpr Text kNumbers{"numbers as nvidia-smi shows them are counted by the PCI bus",
                        "nvidia-smi 的编号按 PCI 总线顺序"};
constexpr Text kBecause{
    "without CUDA_DEVICE_ORDER=PCI_BUS_ID the CUDA runtime puts the fastest card first, nvidia-smi "
    "does not",
    "没有 CUDA_DEVICE_ORDER=PCI_BUS_ID 时，CUDA 运行时把最快的卡排在最前，nvidia-smi 则不会"};
constexpr Text kOtherwise{
    "the launch may take other cards than the ones meant, and run out of memory on the smaller one",
    "启动时用到的可能不是想用的卡，较小的卡会显存不足"};
constexpr Text kOrder{"count as nvidia-smi does: CUDA_DEVICE_ORDER=PCI_BUS_ID",
                      "按 nvidia-smi 的顺序编号：CUDA_DEVICE_ORDER=PCI_BUS_ID"};

constexpr Need kNeeds[] = {Need::VisibleDevices};

// "RTX 3090": what tells one card of this maker from another.
std::string short_name(std::string name) {
  for (const std::string_view front : {"NVIDIA ", "GeForce "}) {
    if (name.starts_with(front)) name.erase(0, front.size());
  }
  return name;
}

// Two names of cards that differ; nothing where all are alike or unknown.
std::pair<std::string, std::string> names_of(const HostSpec& host) {
  std::pair<std::string, std::string> names;
  for (const Gpu& gpu : host.gpus) {
    const std::string name = short_name(gpu.name.value_or(""));
    if (name.empty()) continue;
    if (names.first.empty()) names.first = name;
    if (name != names.first) {
      names.second = name;
      return names;
    }
  }
  return {};
}

bool is_number(const std::string& entry) { return to_integer(entry).has_value(); }

// Shares that are not all the same tell one card from another.
bool shares_differ(const ServeSpec& serve) {
  if (!serve.tensor_split.known()) return false;
  const auto& shares = serve.tensor_split.value();
  return std::ranges::adjacent_find(shares, std::ranges::not_equal_to{}) != shares.end();
}

// The place where the launch picks cards by number; nothing when it does not.
template <class T>
bool mark_choice(Diagnostic& d, const Fact<T>& fact, bool chooses) {
  if (!chooses || !fact.asked()) return false;
  mark(d, fact, kNumbers);
  return true;
}

std::vector<Complaint> check(const Case& c) {
  if (!c.visible.order_unsure) return {};
  const auto [first, other] = names_of(c.host());
  if (other.empty()) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const auto& entries = c.visible.entries;
  const bool all = entries.size() >= c.host().gpus.size();
  bool chooses =
      mark_choice(d, c.serve.visible_devices, std::ranges::any_of(entries, is_number) && !all);
  chooses = mark_choice(d, c.serve.main_gpu, true) || chooses;
  chooses = mark_choice(d, c.serve.tensor_split, shares_differ(c.serve)) || chooses;
  if (!chooses) return {};
  d.title = {kTitle, {{"first", first}, {"other", other}}};
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "CUDA_DEVICE_ORDER";
  complaint.proposals.push_back(
      {.title = kOrder, .changes = {set_environment("CUDA_DEVICE_ORDER", "PCI_BUS_ID")}});
  return {complaint};
}

}  // namespace

extern const Rule device_order_mismatch{
    .code = "SX2123",
    .name = "device-order-mismatch",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
