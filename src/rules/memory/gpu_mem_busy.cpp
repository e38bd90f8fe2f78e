// SX3104. The long explanation and the scenes are in gpu_mem_busy.md.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/free_memory.h"
#include "check/memory_fixes.h"
#include "check/memory_verdict.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "engines/engine.h"
#include "facts/need.h"
#include "fit/links.h"
#include "rules/command/flag_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"GPU {gpu} has {free} free, and the launch asks for {share}",
                      "GPU {gpu} 只有 {free} 空闲，而启动要占 {share}"};
constexpr Text kMayFail{
    "GPU {gpu} has {free} free, and the launch asks for {share} after taking {own} itself",
    "GPU {gpu} 只有 {free} 空闲，而启动自身先用 {own}，再要占 {share}"};
constexpr Text kCounted{
    "{used} of other processes on GPU {gpu} count against the {share} of this launch",
    "GPU {gpu} 上其他进程占用的 {used} 会算进这次启动的 {share} 里"};
constexpr Text kLabel{"{share}: {fraction} of {card}", "{share}：{card} 的 {fraction} 倍"};
constexpr Text kDefault{"{share} of GPU {gpu}: {fraction} of {card}, the default of {engine}",
                        "GPU {gpu} 的 {share}：{card} 的 {fraction} 倍，{engine} 的默认值"};
constexpr Text kUsedLabel{"{used} in use", "已占用 {used}"};
constexpr Text kUsed{"{used} of GPU {gpu} are in use, as the driver reports it",
                     "GPU {gpu} 已被占用 {used}：由驱动给出"};
constexpr Text kTold{"{free} of GPU {gpu} are free, as --free says",
                     "GPU {gpu} 有 {free} 空闲：由 --free 给出"};
constexpr Text kOwner{"GPU {gpu}: {memory} are held by process {pid} ({name})",
                      "GPU {gpu}：进程 {pid}（{name}）占用 {memory}"};
constexpr Text kSeveral{"too little is free on GPUs {gpus}", "空闲显存不足的 GPU：{gpus}"};
constexpr Text kBecause{
    "the share is a part of the whole card, not of what is free, and all of it must be free at the "
    "start",
    "显存占比按整张卡计算，而不是按空闲部分；启动时这部分必须全部空闲"};
constexpr Text kOldBecause{
    "the share is a part of the whole card, not of what is free, and this version does not look "
    "whether it is free",
    "显存占比按整张卡计算，而不是按空闲部分；这个版本不检查是否空闲"};
constexpr Text kCountedBecause{
    "this version takes all memory that is in use on the card for its own",
    "这个版本把卡上所有已占用的显存都当成自己占的"};
constexpr Text kRefused{
    "the engine exits within a minute, before loading weights: \"Free memory on device … is less "
    "than desired GPU memory utilization\"",
    "引擎在一分钟内退出，此时尚未加载权重：“Free memory on device … is less than desired GPU "
    "memory utilization”"};
constexpr Text kSilent{
    "after loading all weights, the engine has less KV cache than expected or runs out of memory "
    "while allocating it",
    "加载完全部权重之后，KV 缓存比预期少，或者在分配时显存不足"};
constexpr Text kStarved{
    "after loading all weights, often minutes, the engine exits for lack of KV cache; on an empty "
    "card it would start",
    "加载完全部权重之后（往往要几分钟），引擎因 KV 缓存不够而退出；在空闲的卡上本来可以启动"};
constexpr Text kOtherGpus{"use GPUs {gpus}, where enough is free", "改用 GPU {gpus}，空闲显存足够"};
constexpr Text kOtherGpu{"use GPU {gpus}, where enough is free", "改用 GPU {gpus}，空闲显存足够"};
constexpr Text kFewerGpus{"TP{count} on GPUs {gpus}, where enough is free",
                          "改用 GPU {gpus}（TP{count}），空闲显存足够"};
constexpr Text kLess{"{fraction} of each card instead of {now}, as much as is free",
                     "每张卡用到 {fraction}，而不是 {now}，即空闲的部分"};
constexpr Text kOnTop{"{fraction} of each card instead of {now}: the part of the others on top",
                      "每张卡用到 {fraction}，而不是 {now}：把其他进程的部分加上"};
constexpr Text kFreeIt{
    "end what holds {used} of GPU {gpu} (`nvidia-smi` lists the processes), or use other GPUs",
    "结束占用 GPU {gpu} 上 {used} 的进程（用 `nvidia-smi` 查看），或改用其他 GPU"};

constexpr Need kNeeds[] = {Need::HostGpuUse, Need::VisibleDevices};

enum class Trouble {
  Refused,  // less is free than the share
  Counted,  // the others' memory is taken out of the share, and what remains is too little
};

struct Finding {
  const Gpu* gpu = nullptr;
  Bytes free, share;
  bool certain = true;
  Trouble trouble = Trouble::Refused;

  Bytes used() const { return gpu->usable.value() - free; }
};

// What others hold makes the difference: a share that an empty card could not give either is
// another rule's.
std::optional<Finding> less_than_share(const Gpu& gpu, double fraction, const Extent& own) {
  const auto free = free_now(gpu);
  if (!free) return {};
  const Bytes share = fraction_of(gpu.usable.value(), fraction), whole = gpu.usable.value();
  if (share > *free - own.low && share <= whole - own.low) return Finding{&gpu, *free, share, true};
  if (share > *free - own.high && share <= whole - own.high)
    return Finding{&gpu, *free, share, false};
  return {};
}

// The same launch with what is left of its share says whether the neighbours are to blame.
std::optional<Finding> starved_by_neighbours(const Case& c, double fraction) {
  if (!counts_neighbours(c) || memory_verdict(c)) return {};
  std::optional<Finding> worst;
  for (const Gpu* gpu : gpus_of_launch(c)) {
    const auto free = free_now(*gpu);
    if (!free) continue;
    const Finding finding{gpu, *free, fraction_of(gpu->usable.value(), fraction), true,
                          Trouble::Counted};
    if (!worst || finding.used() > worst->used()) worst = finding;
  }
  if (!worst || worst->used() <= Bytes{0}) return {};
  Case left = c;
  const double taken = static_cast<double>(worst->used().count()) /
                       static_cast<double>(worst->gpu->usable.value().count());
  left.serve.memory_fraction = Fact<double>(std::max(fraction - taken, 0.01), Origin::Assumed);
  const auto verdict = memory_verdict(left);
  if (!verdict) return {};
  worst->certain = verdict->certain;
  return worst;
}

std::vector<Finding> findings_of(const Case& c, double fraction) {
  const Extent own = taken_before_share(c);
  std::vector<Finding> findings;
  for (const Gpu* gpu : gpus_of_launch(c)) {
    if (const auto found = less_than_share(*gpu, fraction, own)) findings.push_back(*found);
  }
  std::ranges::sort(findings, {},
                    [](const Finding& f) { return f.free - f.share; });  // worst first
  if (findings.empty()) {
    if (const auto starved = starved_by_neighbours(c, fraction)) findings.push_back(*starved);
  }
  return findings;
}

// GPUs of the host like those of the launch that have enough free.
std::vector<int> free_gpus(const Case& c, double fraction) {
  const Bytes own = taken_before_share(c).high;
  const auto launch = gpus_of_launch(c);
  std::vector<int> free;
  for (const Gpu& gpu : c.host().gpus) {
    const auto room = free_now(gpu);
    const bool like = gpu.name.known() && gpu.name.value() == launch.front()->name.value_or("");
    if (room && like && fraction_of(gpu.usable.value(), fraction) <= *room - own)
      free.push_back(gpu.index);
  }
  return free;
}

// So many of them; the best linked ones where links are known.
std::vector<int> chosen_of(const Case& c, std::vector<int> free, std::size_t count) {
  if (const auto best = best_gpus(c.host(), static_cast<int>(count), free)) return best->gpus;
  free.resize(count);
  return free;
}

std::vector<Change> shown_alone(const Case& c, const std::vector<int>& gpus) {
  std::vector<Change> changes{set_environment("CUDA_VISIBLE_DEVICES", join(gpus, ","))};
  if (c.visible.order_unsure) changes.push_back(set_environment("CUDA_DEVICE_ORDER", "PCI_BUS_ID"));
  return changes;
}

// A smaller group, where the free GPUs do not suffice for the one that was asked for.
void propose_smaller_group(const Case& c, const std::vector<int>& free,
                           std::vector<Proposal>& proposals) {
  const auto layout = layout_of(c.serve);
  if (!layout || layout->pipeline != 1 || layout->data != 1) return;
  for (std::size_t count = free.size(); count > 0; --count) {
    const auto gpus = chosen_of(c, free, count);
    auto changes = shown_alone(c, gpus);
    changes.push_back(count == 1 ? remove_flag("--tensor-parallel-size")
                                 : set_flag("--tensor-parallel-size", std::to_string(count)));
    const Message title = count == 1
                              ? Message{kOtherGpu, {{"gpus", join(gpus, ", ")}}}
                              : Message{kFewerGpus, {{"count", count}, {"gpus", join(gpus, ", ")}}};
    proposals.push_back({.title = title,
                         .changes = std::move(changes),
                         .safety = Safety::ChangesBehaviour,
                         .spare = count < free.size()});
  }
}

void propose_other_gpus(const Case& c, double fraction, std::vector<Proposal>& proposals) {
  const auto free = free_gpus(c, fraction);
  const std::size_t wanted = gpus_of_launch(c).size();
  if (free.size() < wanted) return propose_smaller_group(c, free, proposals);
  const auto gpus = chosen_of(c, free, wanted);
  const Text title = gpus.size() == 1 ? kOtherGpu : kOtherGpus;
  proposals.push_back(
      {{title, {{"gpus", join(gpus, ",")}}}, shown_alone(c, gpus), Safety::ChangesBehaviour});
}

Proposal with_fraction(Text title, double fraction, double now) {
  const std::string text = fmt::format("{:.2f}", fraction);
  return {{title, {{"fraction", text}, {"now", now}}},
          {set_flag("--gpu-memory-utilization", text)},
          Safety::ChangesBehaviour};
}

void propose_other_share(const Case& c, const Finding& worst, double now,
                         std::vector<Proposal>& proposals) {
  if (worst.trouble == Trouble::Counted) {
    const double taken = static_cast<double>(worst.used().count()) /
                         static_cast<double>(worst.gpu->usable.value().count());
    constexpr double kMost = 0.95;  // neighbours and this launch together
    if (now + taken + 0.01 <= kMost)
      proposals.push_back(with_fraction(kOnTop, now + taken + 0.01, now));
    return;
  }
  if (!refuses_less_than_share(c)) return;
  if (met(Need::MemoryBudget, c)) return add_way_out(c, WayOut::FreeShare, proposals);
  const auto most = safe_fraction(c);
  if (most && *most > 0 && *most < now) proposals.push_back(with_fraction(kLess, *most, now));
}

// Who holds the memory, the largest first, where the machine tells.
void tell_owners(const Gpu& gpu, Diagnostic& d) {
  constexpr std::size_t kMostTold = 3;
  if (!gpu.state.processes.known()) return;
  auto owners = gpu.state.processes.value();
  std::erase_if(owners, [](const GpuProcess& one) { return !one.memory || one.name.empty(); });
  std::ranges::sort(owners, std::ranges::greater(), &GpuProcess::memory);
  for (std::size_t i = 0; i < std::min(owners.size(), kMostTold); ++i) {
    const GpuProcess& one = owners[i];
    d.basis.push_back(
        {kOwner,
         {{"gpu", gpu.index}, {"memory", *one.memory}, {"pid", one.pid}, {"name", one.name}}});
  }
}

Message title_of(const Finding& worst, Bytes own) {
  const Argument gpu("gpu", worst.gpu->index), share("share", worst.share);
  if (worst.trouble == Trouble::Counted) return {kCounted, {gpu, share, {"used", worst.used()}}};
  if (worst.share > worst.free) return {kTitle, {gpu, share, {"free", worst.free}}};
  return {kMayFail, {gpu, share, {"free", worst.free}, {"own", own}}};
}

void tell_numbers(const Case& c, const Finding& worst, double fraction, Diagnostic& d) {
  const Argument gpu("gpu", worst.gpu->index), share("share", worst.share),
      card("card", worst.gpu->usable.value());
  if (c.serve.memory_fraction.span()) {
    mark(d, c.serve.memory_fraction, {kLabel, {share, card, {"fraction", fraction}}});
  } else {
    Message by_default{
        kDefault,
        {share, gpu, card, {"fraction", fraction}, {"engine", engine_and_version(c.serve)}}};
    also(d, c.serve.model, by_default, by_default);
    if (!d.labels.empty()) d.labels.front().primary = true;
  }
  if (worst.gpu->used.origin() == Origin::Flag) {
    d.basis.push_back({kTold, {gpu, {"free", worst.free}}});
  } else {
    const Argument used("used", worst.gpu->used.value());
    also(d, worst.gpu->used, {kUsedLabel, {used}}, {kUsed, {gpu, used}});
  }
}

std::vector<Complaint> check(const Case& c) {
  const auto fraction = fraction_in_force(c);
  if (!fraction) return {};
  const auto findings = findings_of(c, *fraction);
  if (findings.empty()) return {};

  const Finding& worst = findings.front();
  const bool refuses = refuses_less_than_share(c), counted = worst.trouble == Trouble::Counted;
  Complaint complaint;
  complaint.severity = worst.certain && (refuses || counted) ? Severity::Error : Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = title_of(worst, taken_before_share(c).bytes);
  tell_numbers(c, worst, *fraction, d);
  tell_owners(*worst.gpu, d);
  if (findings.size() > 1) {
    std::vector<int> all;
    for (const Finding& finding : findings) {
      if (finding.certain || !worst.certain) all.push_back(finding.gpu->index);
    }
    std::ranges::sort(all);
    if (all.size() > 1) d.basis.push_back({kSeveral, {{"gpus", join(all, ", ")}}});
  }
  d.because = counted ? kCountedBecause : refuses ? kBecause : kOldBecause;
  d.otherwise = counted ? kStarved : refuses ? kRefused : kSilent;
  d.subject = "--gpu-memory-utilization";
  d.no_fix = {kFreeIt, {{"gpu", worst.gpu->index}, {"used", worst.used()}}};
  if (c.asked_again) return {complaint};
  propose_other_gpus(c, *fraction, complaint.proposals);
  propose_other_share(c, worst, *fraction, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule gpu_mem_busy{
    .code = "SX3104",
    .name = "gpu-mem-busy",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
