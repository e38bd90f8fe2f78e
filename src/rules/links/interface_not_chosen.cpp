// SX6111. The long explanation and the scenes are in interface_not_chosen.md.
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/gpu_condition.h"
#include "check/launch_variables.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "read/settings.h"
#include "rules/links/interface_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"ranks on several hosts, {count} interfaces, without {missing}",
                      "rank 分布在多台主机上，有 {count} 个网络接口，没有设置 {missing}"};
constexpr Text kHosts{"ranks on several hosts", "rank 分布在多台主机上"};
constexpr Text kThereLabel{"interfaces of the machine", "机器上的网络接口"};
constexpr Text kThere{"interfaces that may lead to another host: {there}",
                      "可能通向其他主机的网络接口：{there}"};
constexpr Text kBecause{
    "NCCL takes an InfiniBand interface first, else the first one it finds; Gloo takes the one "
    "that the host's own name stands for: the two may differ, and from host to host",
    "NCCL 先选 InfiniBand 接口，否则选找到的第一个；Gloo "
    "选主机名解析到的那个：两者可能不同，各主机之间也可能不同"};
constexpr Text kOtherwise{
    "where the choice cannot be reached from the other hosts, the start hangs or ends when the "
    "ranks first meet, before weights are loaded; or it runs over the slow network",
    "选中的接口如果其他主机访问不到，各 rank "
    "首次联系时卡住或退出，此时尚未加载权重；也可能走慢速网络"};
constexpr Text kSet{
    "set {missing} on each host to its interface that leads to the others, here one of: {there}",
    "在每台主机上把 {missing} 设为通向其他主机的接口，这台机器上可选：{there}"};

constexpr Need kNeeds[] = {Need::Layout, Need::HostInterfaces};

// Ray starts ranks wherever its cluster has GPUs: more than this machine has stand elsewhere, too.
bool ray_goes_elsewhere(const Case& c) {
  const auto& executor = c.serve.executor_backend;
  const auto wanted = c.serve.gpus_wanted();
  const int here = c.machine().gpu_count.value_or(0);
  return executor.asked() && executor.value() == "ray" && here > 0 && wanted && *wanted > here;
}

// The place that says so; nothing where all ranks are on one host.
std::optional<Span> several_hosts(const Case& c) {
  const auto place = [](const auto& fact) { return fact.span().value_or(Span{}); };
  if (c.serve.node_count.value_or(1) > 1) return place(c.serve.node_count);
  if (c.around.hosts.value_or(1) > 1) return place(c.around.hosts);
  const auto& local = c.serve.data_parallel_local;
  const bool some_elsewhere = local.asked() && c.serve.data_parallel.known() &&
                              local.value() < c.serve.data_parallel.value();
  if (some_elsewhere) return place(local);
  if (ray_goes_elsewhere(c)) return place(c.serve.executor_backend);
  return {};
}

// Set to something, even to what cannot be known here.
bool is_set(const Case& c, std::string_view name) {
  return last_setting(c.command.environment, name) != nullptr || launch_variable(c, name);
}

std::vector<Complaint> check(const Case& c) {
  // Inside a container with a network of its own the names are others.
  const bool own_network = c.around.contained() && !c.around.host_network.value_or(false);
  const auto hosts = several_hosts(c);
  if (!hosts || own_network) return {};
  const auto there = outer_interfaces(c.host().state.interfaces.value());
  std::vector<std::string> missing;
  for (const std::string_view name : {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"}) {
    if (!is_set(c, name)) missing.emplace_back(name);
  }
  if (there.size() < 2 || missing.empty()) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument names("missing", Both{join(missing, " and "), join(missing, " 和 ")});
  const Argument list("there", shown_interfaces(there));
  d.title = {kTitle, {{"count", static_cast<int>(there.size())}, names}};
  if (hosts->source >= 0) mark(d, *hosts, kHosts);
  show(d, c.host().state.interfaces, kThereLabel, {kThere, {list}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = missing.front();
  d.no_fix = {kSet, {names, list}};
  return {complaint};
}

}  // namespace

extern const Rule interface_not_chosen{
    .code = "SX6111",
    .name = "interface-not-chosen",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
