// SX3106. The long explanation and the scenes are in fraction_leaves_little.md.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "check/free_memory.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "the share leaves {left} of GPU {gpu}, where about {own} are needed for {what}",
    "显存占比给 GPU {gpu} 只留 {left}，而 {what}约需 {own}"};
constexpr Text kGraphTitle{
    "the share leaves {left} of GPU {gpu}, and CUDA graphs of about {graphs} must fit there too",
    "显存占比给 GPU {gpu} 只留 {left}，而约 {graphs} 的 CUDA graph 也要放在那里"};
constexpr Text kLabel{"{share} of {card}", "{card} 中的 {share}"};
constexpr Text kContext{"the CUDA context", "CUDA 上下文"};
constexpr Text kContextAndMore{"the CUDA context and collectives", "CUDA 上下文和集合通信"};
constexpr Text kOwn{"outside the share: {low} to {high} for {what}",
                    "占比之外：{what} {low} 到 {high}"};
constexpr Text kGraphs{"this version does not count CUDA graphs into its share",
                       "这个版本不把 CUDA graph 计入显存占比"};
constexpr Text kBecause{
    "not all that a launch needs is inside its share: what the process takes before, and what it "
    "captures after, comes on top",
    "启动所需的显存并不都在占比之内：进程此前占用的和之后捕获的都在占比之外"};
constexpr Text kRefused{
    "the engine exits within a minute, before loading weights: \"Free memory on device … is less "
    "than desired GPU memory utilization\"",
    "引擎在一分钟内退出，此时尚未加载权重：“Free memory on device … is less than desired GPU "
    "memory utilization”"};
constexpr Text kCapture{
    "\"CUDA out of memory\" while CUDA graphs are captured, after loading all weights",
    "加载完全部权重之后，在捕获 CUDA graph 时报“CUDA out of memory”"};
constexpr Text kLess{"{fraction} of each card instead of {now}",
                     "每张卡用到 {fraction}，而不是 {now}"};

constexpr Need kNeeds[] = {Need::HostGpuMemory, Need::VisibleDevices};

struct Finding {
  const Gpu* gpu = nullptr;
  Bytes left;
  bool graphs = false;  // only together with graphs it is too little
  bool certain = true;
};

// The card that has least left.
std::optional<Finding> finding_of(const Case& c, double fraction) {
  Finding found;
  for (const Gpu* gpu : gpus_of_launch(c)) {
    const Bytes left = gpu->usable.value() - fraction_of(gpu->usable.value(), fraction);
    if (found.gpu == nullptr || left < found.left) found = {.gpu = gpu, .left = left};
  }
  if (found.gpu == nullptr) return {};
  const Extent own = taken_before_share(c);
  found.certain = found.left < own.low;
  if (found.left < own.bytes) return found;
  // Estimates of graphs lie high: their low end is taken.
  found.graphs = found.left < own.low + graphs_outside_share(c).low;
  return found.graphs ? std::optional(found) : std::nullopt;
}

std::vector<Complaint> check(const Case& c) {
  const auto fraction = fraction_in_force(c);
  if (!fraction || !c.serve.memory_fraction.asked()) return {};
  const auto found = finding_of(c, *fraction);
  if (!found) return {};

  const Extent own = taken_before_share(c);
  const bool refuses = refuses_less_than_share(c) && !found->graphs;
  const Argument left("left", found->left), gpu("gpu", found->gpu->index),
      card("card", found->gpu->usable.value());
  const bool alone = c.serve.world_size().value_or(1) == 1;
  const Argument what("what", alone ? kContext : kContextAndMore);
  Complaint complaint;
  complaint.severity = refuses && found->certain ? Severity::Error : Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = found->graphs
                ? Message(kGraphTitle, {left, gpu, {"graphs", graphs_outside_share(c).bytes}})
                : Message(kTitle, {left, gpu, what, {"own", own.bytes}});
  mark(d, c.serve.memory_fraction,
       {kLabel, {card, {"share", found->gpu->usable.value() - found->left}}});
  d.basis.push_back({kOwn, {what, {"low", own.low}, {"high", own.high}}});
  if (found->graphs) d.basis.push_back(kGraphs);
  d.because = kBecause;
  d.otherwise = refuses ? kRefused : kCapture;
  d.subject = "--gpu-memory-utilization";
  if (const auto safe = safe_fraction(c); safe && *safe > 0 && *safe < *fraction) {
    const std::string text = fmt::format("{:.2f}", *safe);
    complaint.proposals.push_back({{kLess, {{"fraction", text}, {"now", *fraction}}},
                                   {set_flag("--gpu-memory-utilization", text)},
                                   Safety::ChangesBehaviour});
  }
  return {complaint};
}

}  // namespace

extern const Rule fraction_leaves_little{
    .code = "SX3106",
    .name = "fraction-leaves-little",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
