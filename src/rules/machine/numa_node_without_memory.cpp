// SX5116. The long explanation and the scenes are in numa_node_without_memory.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"NUMA node {node} has processors and no memory; node {other} has some",
                      "NUMA 节点 {node} 有处理器却没有内存；节点 {other} 有内存"};
constexpr Text kGpus{"GPU {gpus} stand at node {node}", "GPU {gpus} 位于节点 {node}"};
constexpr Text kLabel{"of numactl -H or lscpu", "来自 numactl -H 或 lscpu"};
constexpr Text kBasis{"node {node}: 0 B", "节点 {node}：0 B"};
constexpr Text kBecause{
    "memory modules are in the slots of one processor only: everything that the other and its "
    "cards "
    "read or write crosses the link between the processors",
    "内存条只插在一颗处理器的插槽里：另一颗处理器及其 GPU 的所有读写都要经过处理器之间的互联"};
constexpr Text kOtherwise{
    "it runs; loading weights, offload and exchange through host memory take about half as long "
    "again or more on those cards",
    "可以运行；但那些卡的权重加载、卸载到内存以及经内存的交换耗时大约要多出一半甚至更多"};
constexpr Text kNoFix{"put memory modules into the slots of both processors",
                      "在两颗处理器的插槽里都插上内存条"};

constexpr Need kNeeds[] = {Need::HostNumaMemory};

// Nodes of memory alone (cards of Grace machines) have no processors and are meant to be so.
std::vector<Complaint> check(const Case& c) {
  const auto& nodes = c.host().state.numa.value();
  const auto bare = std::ranges::find_if(
      nodes, [](const NumaNode& node) { return node.memory == Bytes{0} && !node.cpus.empty(); });
  const auto full = std::ranges::find_if(
      nodes, [](const NumaNode& node) { return node.memory.value_or(Bytes{0}) > Bytes{0}; });
  if (bare == nodes.end() || full == nodes.end()) return {};
  std::vector<const Gpu*> there;
  for (const Gpu* card : cards_in_question(c)) {
    if (card->numa.known() && card->numa.value() == bare->node) there.push_back(card);
  }
  // Where the cards stand is often not told; then it is said of the machine.
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument node("node", bare->node);
  d.title = {kTitle, {node, {"other", full->node}}};
  show(d, c.host().state.numa, kLabel, {kBasis, {node}});
  if (!there.empty()) d.basis.push_back({kGpus, {{"gpus", numbers_of(there)}, node}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "NUMA";
  d.no_fix = kNoFix;
  return {complaint};
}

}  // namespace

extern const Rule numa_node_without_memory{
    .code = "SX5116",
    .name = "numa-node-without-memory",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
