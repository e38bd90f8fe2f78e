// SX6102. The long explanation and the scenes are in p2p_disabled_left_on.md.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/free_memory.h"
#include "check/launch_variables.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/link_classes.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{name}={value} turns off the NVLink between GPUs {gpus}",
                      "{name}={value} 关闭了 GPU {gpus} 之间的 NVLink"};
constexpr Text kPcieTitle{"{name}={value} turns off direct access between GPUs {gpus}, which works",
                          "{name}={value} 关闭了 GPU {gpus} 之间的直连访问（P2P），而它本来可用"};
constexpr Text kLabel{"all traffic between the GPUs goes through host memory",
                      "GPU 之间的数据全部经过内存"};
constexpr Text kLinks{"GPUs {gpus} are joined by {link}", "GPU {gpus} 之间是 {link}"};
constexpr Text kKind{"GPUs of this kind are joined by NVLink", "这种 GPU 之间由 NVLink 连接"};
constexpr Text kFromMachine{"{name}={value} is set in the environment of the machine",
                            "机器的环境变量里设置了 {name}={value}"};
constexpr Text kBecause{
    "this setting is a test for machines whose direct transfers hang; it turns off NVLink and PCIe "
    "transfers alike",
    "这个设置用来排查直连传输卡住的机器，会把 NVLink 和 PCIe 直连一并关闭"};
constexpr Text kOtherwise{
    "it runs, with an exchange between ranks that is up to ten times slower and takes up /dev/shm; "
    "no message says so",
    "可以运行，但各 rank 之间的交换最多慢十倍，还会占用 /dev/shm，而且没有任何提示"};
constexpr Text kDrop{"without {name}", "去掉 {name}"};
constexpr Text kOverrule{"with {name}=0, which overrules the environment",
                         "设为 {name}=0，覆盖环境变量"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::VisibleDevices};

// NCCL reads a number as C does; words such as "true" count as 0 and change nothing.
bool turns_off(std::string_view name, std::string_view value) {
  value = trimmed(value);
  if (name == "NCCL_P2P_DISABLE") return to_integer(value) == 1;
  return name == "NCCL_P2P_LEVEL" && (value == "LOC" || to_integer(value) == 0);
}

std::optional<LaunchVariable> switch_of(const Case& c) {
  for (const std::string_view name : {"NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL"}) {
    const auto set = launch_variable(c, name);
    if (set && turns_off(name, set->value)) return set;
  }
  return {};
}

struct Pair {
  int a = 0, b = 0;
  std::string link;  // "NV12", "PIX"; empty: only the kind of card tells
  bool nvlink = true;
};

const std::string* cell(const std::vector<std::vector<std::string>>& matrix, int a, int b) {
  const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
  if (row >= matrix.size() || column >= matrix[row].size()) return nullptr;
  return &matrix[row][column];
}

// Two GPUs of the launch that could reach each other: over NVLink first, else over PCIe where that
// is known to work.
std::optional<Pair> pair_of(const Case& c) {
  const auto gpus = gpus_of_launch(c);
  const Links& links = c.host().links;
  std::optional<Pair> over_pcie;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (std::size_t j = i + 1; j < gpus.size(); ++j) {
      const int a = std::min(gpus[i]->index, gpus[j]->index),
                b = std::max(gpus[i]->index, gpus[j]->index);
      if (!links.known()) {
        if (gpus[i]->nvlink.value_or(false) && gpus[j]->nvlink.value_or(false))
          return Pair{a, b, "", true};
        continue;
      }
      const std::string* link = cell(links.classes, a, b);
      if (link == nullptr) continue;
      const LinkClass* known = find_link_class(*link);
      if (known == nullptr) continue;
      if (known->way == LinkWay::NvLink) return Pair{a, b, *link, true};
      const std::string* status = cell(links.p2p, a, b);
      // NCCL takes direct PCIe transfers by itself only below one host bridge.
      const bool near = known->way == LinkWay::Switch;
      if (!over_pcie && near && status != nullptr && *status == "OK")
        over_pcie = Pair{a, b, *link, false};
    }
  }
  return over_pcie;
}

std::vector<Complaint> check(const Case& c) {
  const auto found = switch_of(c);
  if (!found || c.serve.world_size().value_or(1) < 2) return {};
  const auto pair = pair_of(c);
  if (!pair) return {};

  Complaint complaint;
  complaint.severity = pair->nvlink ? Severity::Warning : Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  const Argument name("name", found->name), value("value", found->value);
  const Argument gpus("gpus", std::to_string(pair->a) + "," + std::to_string(pair->b));
  d.title = {pair->nvlink ? kTitle : kPcieTitle, {name, value, gpus}};
  if (found->span) {
    mark(d, *found->span, kLabel);
  } else {
    d.basis.push_back({kFromMachine, {name, value}});
  }
  d.basis.push_back(pair->link.empty() ? Message(kKind)
                                       : Message(kLinks, {gpus, {"link", pair->link}}));
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "NCCL_P2P_DISABLE";
  if (found->span) {
    complaint.proposals.push_back(
        {{kDrop, {name}}, {remove_environment(std::string(found->name))}, Safety::Safe});
  } else if (found->name == "NCCL_P2P_DISABLE") {
    complaint.proposals.push_back(
        {{kOverrule, {name}}, {set_environment(std::string(found->name), "0")}, Safety::Safe});
  }
  return {complaint};
}

}  // namespace

extern const Rule p2p_disabled_left_on{
    .code = "SX6102",
    .name = "p2p-disabled-left-on",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
