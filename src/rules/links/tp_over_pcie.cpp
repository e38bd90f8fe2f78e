// SX6110. The long explanation and the scenes are in tp_over_pcie.md.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "check/gpu_condition.h"
#include "check/rule_engines.h"
#include "fit/links.h"
#include "knowledge/link_laws.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "{ranks} GPUs without NVLink: a step of {requests} requests spends some {low} to {high} ms in "
    "exchange over PCIe",
    "{ranks} 张没有 NVLink 的 GPU：{requests} 个请求的一步，约有 {low} 到 {high} ms 花在 PCIe "
    "交换上"};
constexpr Text kLabel{"{count} exchanges a step, {bytes} each",
                      "每步交换 {count} 次，每次 {bytes}"};
constexpr Text kSmaller{"with {ranks} GPUs a group it is some {low} to {high} ms",
                        "每组 {ranks} 张时约为 {low} 到 {high} ms"};
constexpr Text kMeasured{
    "measured on a machine of PCIe 5 and on one of PCIe 4 without direct access",
    "分别在一台 PCIe 5 机器和一台没有直连访问的 PCIe 4 机器上测得"};
constexpr Text kBecause{
    "the ranks of a tensor group sum up their results twice a layer; over PCIe that costs more "
    "with "
    "each card, and the engine's own fast way is open to two cards only",
    "张量并行组每层要汇总两次结果；走 PCIe 时卡越多代价越高，而引擎自带的快速通路只支持两张卡"};
constexpr Text kOtherwise{"it runs; more cards bring memory, and little or no speed",
                          "可以运行；卡更多只是显存更多，速度提升很小甚至没有"};
constexpr Text kStages{
    "tensor groups of {tensor}, {stages} pipeline stages: one exchange between stages",
    "每组张量并行 {tensor} 张，流水线并行 {stages} 级：级与级之间只交换一次"};
constexpr Text kNoFix{"fewer GPUs a group where the model fits them, or stages or replicas instead",
                      "在模型放得下的前提下减少每组的 GPU 数，或改用流水线、多副本"};

constexpr Need kNeeds[] = {Need::Layout, Need::VisibleDevices, Need::ModelShape};

constexpr int kRequests = 64;      // a busy server; alone a request pays the latency only
constexpr double kWorthMs = 5;     // less drowns in the rest of a step
constexpr int kSmallestGroup = 4;  // two cards lose little

bool known_without_nvlink(const Case& c, const std::vector<const Gpu*>& cards) {
  const auto& classes = c.host().links.classes;
  for (const Gpu* card : cards) {
    const auto row = static_cast<std::size_t>(card->index);
    if (row < classes.size()) {
      const bool some = std::ranges::any_of(
          classes[row], [](const std::string& cell) { return is_nvlink(cell); });
      if (some) return false;
    } else if (card->nvlink.value_or(true)) {
      return false;
    }
  }
  return !cards.empty();
}

struct Cost {
  double low = 0, high = 0;  // milliseconds a step
};

std::optional<Cost> cost_of(int ranks, int exchanges, Bytes message) {
  const auto newer = pcie_all_reduce_us("pcie-peer", ranks, message);
  const auto older = pcie_all_reduce_us("pcie-host", ranks, message);
  if (!newer || !older) return {};
  const double low = std::min(*newer, *older), high = std::max(*newer, *older);
  return Cost{low * exchanges / 1000, high * exchanges / 1000};
}

int whole(double milliseconds) { return static_cast<int>(std::lround(milliseconds)); }

std::vector<Complaint> check(const Case& c) {
  const int ranks = c.serve.tensor_parallel.value();
  if (ranks < kSmallestGroup || c.serve.node_count.value_or(1) > 1) return {};
  const auto cards = cards_in_question(c);
  if (static_cast<int>(cards.size()) < ranks || !known_without_nvlink(c, cards)) return {};
  constexpr int kAlayer = 2;        // behind attention and behind the MLP
  constexpr int kElementBytes = 2;  // activations are of 16 bits
  const int exchanges =
      kAlayer * c.model().layers.value() / std::max(1, c.serve.pipeline_parallel.value());
  const Bytes message{std::int64_t{kRequests} * c.model().hidden_size.value() * kElementBytes};
  const auto cost = cost_of(ranks, exchanges, message);
  if (!cost || cost->low < kWorthMs) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  const auto numbers = [](const Cost& one) {
    return std::vector<Argument>{{"low", whole(one.low)}, {"high", whole(one.high)}};
  };
  std::vector<Argument> arguments = numbers(*cost);
  arguments.emplace_back("ranks", ranks);
  arguments.emplace_back("requests", kRequests);
  d.title = {kTitle, std::move(arguments)};
  mark(d, c.serve.tensor_parallel, {kLabel, {{"count", exchanges}, {"bytes", message}}});
  if (const auto half = cost_of(ranks / 2, exchanges, message)) {
    std::vector<Argument> less = numbers(*half);
    less.emplace_back("ranks", ranks / 2);
    d.basis.push_back({kSmaller, std::move(less)});
  }
  d.basis.push_back(kMeasured);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--tensor-parallel-size";
  d.no_fix = kNoFix;
  const int tensor = ranks / 2, stages = c.serve.pipeline_parallel.value() * 2;
  if (ranks % 2 == 0) {
    complaint.proposals.push_back({{kStages, {{"tensor", tensor}, {"stages", stages}}},
                                   {set_flag("--tensor-parallel-size", std::to_string(tensor)),
                                    set_flag("--pipeline-parallel-size", std::to_string(stages))},
                                   Safety::ChangesBehaviour});
  }
  return {complaint};
}

}  // namespace

extern const Rule tp_over_pcie{
    .code = "SX6110",
    .name = "tp-over-pcie",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
