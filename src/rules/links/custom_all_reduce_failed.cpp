// SX6106. The long explanation and the scenes are in custom_all_reduce_failed.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/free_memory.h"
#include "check/launch_variables.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "fit/links.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "expandable segments cannot be shared with the other ranks by the engine's own all-reduce",
    "可扩展内存段（expandable segments）无法由引擎自带的 all-reduce 共享给其他 rank"};
constexpr Text kLabel{"memory that no other process can open", "其他进程打不开这种内存"};
constexpr Text kFromMachine{"{name}={value} is set in the environment of the machine",
                            "机器的环境变量里设置了 {name}={value}"};
constexpr Text kRanks{"{ranks} ranks share buffers", "{ranks} 个 rank 共享缓冲区"};
constexpr Text kBecause{
    "the engine's own all-reduce opens the buffers of its neighbours by handles that exist for "
    "plain "
    "allocations only",
    "引擎自带的 all-reduce 通过句柄打开其他 rank 的缓冲区，而只有普通分配的显存才有这种句柄"};
constexpr Text kOtherwise{
    "after weights are loaded, while graphs are captured, a rank ends without a traceback: "
    "\"custom_all_reduce.cuh … 'invalid argument'\"",
    "权重加载完、捕获 CUDA graph 时，某个 rank 没有堆栈就退出：“custom_all_reduce.cuh … "
    "'invalid argument'”"};
constexpr Text kDrop{"without expandable segments", "不用可扩展内存段"};
constexpr Text kNccl{"leave all reductions to NCCL: a little slower for single requests",
                     "归约全部交给 NCCL：单个请求略慢"};

constexpr Need kNeeds[] = {Need::Layout, Need::VisibleDevices};

std::optional<LaunchVariable> expandable(const Case& c) {
  for (const std::string_view name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
    const auto found = launch_variable(c, name);
    if (!found) continue;
    if (lower(found->value).find("expandable_segments:true") != std::string::npos) return found;
  }
  return {};
}

// The engine uses its own only where it is sure of direct access: two cards, or NVLink between all.
// Known to be absent somewhere, it is not in use; not known, it may be.
bool may_use_own(const Case& c, int ranks) {
  if (ranks != 2 && ranks != 4 && ranks != 6 && ranks != 8) return false;
  const HostSpec& host = c.host();
  const auto& classes = host.links.classes;
  const auto& p2p = host.links.p2p;
  const auto cards = gpus_of_launch(c);
  for (const Gpu* a : cards) {
    for (const Gpu* b : cards) {
      if (a == b) continue;
      const auto row = static_cast<std::size_t>(a->index),
                 column = static_cast<std::size_t>(b->index);
      if (row < classes.size() && column < classes[row].size()) {
        const std::string& link = classes[row][column];
        if (ranks > 2 && !link.empty() && !is_nvlink(link)) return false;
      } else if (ranks > 2 && !a->nvlink.value_or(false)) {
        return false;
      }
      const bool told = row < p2p.size() && column < p2p[row].size();
      if (told && !p2p[row][column].empty() && p2p[row][column] != "OK") return false;
      // Cards without NVLink for consumers are not granted it, unless a text says so.
      if (!told && !a->nvlink.value_or(false)) return false;
    }
  }
  return true;
}

bool turned_off(const ServeSpec& serve) {
  const FlagUse* use = serve.use_of("--disable-custom-all-reduce");
  return use != nullptr && !use->negated;
}

std::string without_expandable(std::string_view value) {
  std::vector<std::string> kept;
  for (const std::string_view part : split(value, ',')) {
    if (!lower(trimmed(part)).starts_with("expandable_segments")) kept.emplace_back(trimmed(part));
  }
  return join(kept, ",");
}

std::vector<Complaint> check(const Case& c) {
  const auto found = expandable(c);
  const int ranks = c.serve.tensor_parallel.value();
  const bool one_machine = c.serve.node_count.value_or(1) <= 1;
  if (!found || !one_machine || turned_off(c.serve) || !may_use_own(c, ranks)) return {};
  // Without graphs nothing but buffers of the engine's own is shared, and those are plain.
  if (c.serve.enforce_eager.value_or(false)) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = kTitle;
  if (found->span) {
    mark(d, *found->span, kLabel);
  } else {
    d.basis.push_back({kFromMachine, {{"name", found->name}, {"value", found->value}}});
  }
  mark(d, c.serve.tensor_parallel, {kRanks, {{"ranks", ranks}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = found->name;
  const std::string rest = without_expandable(found->value);
  if (found->span) {
    complaint.proposals.push_back({kDrop,
                                   {rest.empty() ? remove_environment(std::string(found->name))
                                                 : set_environment(std::string(found->name), rest)},
                                   Safety::Safe});
  }
  complaint.proposals.push_back(
      {kNccl, {add_switch("--disable-custom-all-reduce")}, Safety::ChangesBehaviour});
  return {complaint};
}

}  // namespace

extern const Rule custom_all_reduce_failed{
    .code = "SX6106",
    .name = "custom-all-reduce-failed",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
