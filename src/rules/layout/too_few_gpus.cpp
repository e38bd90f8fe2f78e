// SX2101. The long explanation and the scenes are in too_few_gpus.md.
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/gpu_condition.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "check/split_reasons.h"
#include "engines/engine.h"
#include "facts/container_changes.h"
#include "knowledge/other_engines.h"
#include "knowledge/traits.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"this launch needs {wanted} GPUs and sees {seen}",
                      "这次启动需要 {wanted} 张 GPU，只能看到 {seen} 张"};
constexpr Text kNone{"this launch needs a GPU and sees none: CUDA_VISIBLE_DEVICES hides them all",
                     "这次启动需要 GPU，但 CUDA_VISIBLE_DEVICES 把它们全部屏蔽了"};
constexpr Text kRanks{"{wanted} ranks, a GPU for each", "{wanted} 个 rank，每个占一张 GPU"};
constexpr Text kLayout{"{layout} takes {wanted} GPUs", "{layout} 需要 {wanted} 张 GPU"};
constexpr Text kLocal{"{layout}, of which {replicas} replicas stand here: {wanted} GPUs",
                      "{layout}，其中 {replicas} 个副本在本机：需要 {wanted} 张 GPU"};
constexpr Text kHosts{"{layout} over {hosts} hosts takes {wanted} GPUs on each",
                      "{layout} 分布在 {hosts} 台主机上，每台需要 {wanted} 张 GPU"};
constexpr Text kMask{"shows {seen} of {count} GPUs", "{count} 张 GPU 中可见 {seen} 张"};
constexpr Text kMaskSaid{"CUDA_VISIBLE_DEVICES={mask} shows {seen} of {count} GPUs",
                         "CUDA_VISIBLE_DEVICES={mask}：{count} 张 GPU 中可见 {seen} 张"};
constexpr Text kGiven{"hands in {seen} GPUs", "分到 {seen} 张 GPU"};
constexpr Text kHandIn{"hand in {wanted} of the {count} GPUs",
                       "交给容器 {count} 张 GPU 中的 {wanted} 张"};
constexpr Text kNamed{"{seen} GPUs: the machine named with --on", "{seen} 张 GPU：--on 指定的机器"};
constexpr Text kRead{"{seen} GPUs: {origin}", "{seen} 张 GPU：{origin}"};
constexpr Text kBecause{"each rank needs a GPU of its own, on the host where it starts",
                        "每个 rank 都要在它所在的主机上独占一张 GPU"};
constexpr Text kRefused{
    "it exits within seconds: \"… larger than the number of available GPUs ({seen})\"",
    "几秒内就会退出：“… larger than the number of available GPUs ({seen})”"};
constexpr Text kRay{
    "it turns to Ray: if that is not installed it exits, else it waits {minutes} minutes for a "
    "cluster",
    "它会改用 Ray：没有安装就退出，装了就等集群凑齐 GPU，最多 {minutes} 分钟"};
constexpr Text kRankStops{
    "the ranks beyond the last GPU stop as they start, the rest with them: \"CUDA error: … device "
    "ordinal\"",
    "超出 GPU 数量的 rank 一启动就退出，其余也随之退出：“CUDA error: … device ordinal”"};
constexpr Text kReplicaStops{
    "the replicas beyond the last GPU stop as they start: \"local rank … is out of bounds\"",
    "超出 GPU 数量的副本一启动就退出：“local rank … is out of bounds”"};
// Its replicas are told their cards by number, as its ranks are.
constexpr OfEngine kReplicaStopsOf[] = {{"sglang", kRankStops}};
constexpr Text kShow{"let it see {wanted} of the {count} GPUs",
                     "让它看到 {count} 张 GPU 中的 {wanted} 张"};
constexpr Text kShowAll{"let it see all {count} GPUs", "让它看到全部 {count} 张 GPU"};
constexpr Text kReplicas{"as many replicas as there are GPUs for: {replicas}",
                         "副本数减到 GPU 够用为止：{replicas} 个"};

constexpr Text kFewerRanks{"as many ranks as there are GPUs", "rank 数与 GPU 数一致"};
constexpr Text kPassedOver{"leaves {seen} of {count} GPUs", "{count} 张 GPU 只剩 {seen} 张可用"};
constexpr Text kBegin{"take GPUs {first} to {last}", "改用 GPU {first} 到 {last}"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::HostGpus, Need::VisibleDevices};
constexpr Need kDoubts[] = {Need::Layout, Need::VisibleDevices};

bool replicas_by_ray(const ServeSpec& serve) {
  const FlagUse* use = serve.use_of("--data-parallel-backend");
  return use != nullptr && !use->values.empty() && use->values.front() == "ray";
}

// Executors that look for their GPUs elsewhere: over a Ray cluster, or one rank a process.
bool places_ranks_itself(const ServeSpec& serve) {
  if (!serve.executor_backend.known()) return !serve.executor_backend.why_unknown().empty();
  return serve.executor_backend.value() != "mp" && serve.executor_backend.value() != "uni";
}

std::optional<int> wanted_here(const ServeSpec& serve) {
  return replicas_by_ray(serve) ? serve.world_size() : serve.gpus_wanted();
}

struct SizeFlag {
  const Fact<int>* fact;
  std::string_view name;
};

// The size that was asked for first, in the order in which people think of them.
SizeFlag size_asked(const ServeSpec& serve) {
  const std::array<SizeFlag, 4> flags{{
      {&serve.tensor_parallel, "--tensor-parallel-size"},
      {&serve.pipeline_parallel, "--pipeline-parallel-size"},
      {&serve.data_parallel, "--data-parallel-size"},
      {&serve.prefill_context_parallel, "--prefill-context-parallel-size"},
  }};
  for (const SizeFlag& flag : flags) {
    if (flag.fact->asked() && flag.fact->value() > 1) return flag;
  }
  return {nullptr, "CUDA_VISIBLE_DEVICES"};
}

Message label(const ServeSpec& serve, int wanted) {
  const auto layout = layout_of(serve);
  if (!layout || layout->gpus() == layout->tensor) return {kRanks, {{"wanted", wanted}}};
  const std::vector<Argument> arguments{{"layout", layout->label()}, {"wanted", wanted}};
  const auto with = [&arguments](Argument argument) {
    std::vector<Argument> all = arguments;
    all.push_back(std::move(argument));
    return all;
  };
  if (serve.node_count.value_or(1) > 1) {
    return {kHosts, with({"hosts", serve.node_count.value()})};
  }
  const int replicas = serve.data_parallel_local.value_or(layout->data);
  if (replicas < layout->data) return {kLocal, with({"replicas", replicas})};
  return {kLayout, arguments};
}

// The flag that makes the launch pass GPUs over; null when none does.
const Fact<int>* passes_over(const ServeSpec& serve) {
  if (serve.first_gpu.asked() && serve.first_gpu.value() > 0) return &serve.first_gpu;
  return serve.gpu_step.asked() && serve.gpu_step.value() > 1 ? &serve.gpu_step : nullptr;
}

void say_where_from(Diagnostic& d, const Case& c, int seen) {
  if (const Fact<int>* flag = passes_over(c.serve)) {
    mark(d, *flag, {kPassedOver, {{"seen", seen}, {"count", c.host().gpu_count.value()}}});
    return;
  }
  if (const auto& span = c.serve.visible_devices.span(); c.visible.masked && span) {
    const Argument shown("seen", seen), count("count", c.host().gpu_count.value());
    mark(d, c.serve.visible_devices, {kMask, {shown, count}});
    // The environment of a process is no text to underline.
    if (span->source < 0)
      d.basis.push_back(
          {kMaskSaid, {{"mask", c.serve.visible_devices.value_or("")}, shown, count}});
    return;
  }
  if (c.host().gpu_count.span()) {
    mark(d, c.host().gpu_count, {kGiven, {{"seen", seen}}});
  } else if (c.host().from == HostFrom::Named) {
    d.basis.push_back({kNamed, {{"seen", seen}}});
  } else {
    d.basis.push_back({kRead, {{"seen", seen}, {"origin", host_origin(c.host())}}});
  }
}

// Without a word about the executor older versions take more ranks than GPUs for a launch over a
// Ray cluster.
bool turns_to_ray(const Case& c, int seen) {
  const bool one_replica = c.serve.world_size().value_or(1) > seen;
  return one_replica && !c.serve.executor_backend.known() &&
         trait(c.serve.engine, "gpus-too-few", c.serve.version) == "ray";
}

// Signs that there is a cluster: its address, or stages that would each fill a host.
bool may_have_cluster(const Case& c, int seen) {
  const bool addressed = std::ranges::any_of(
      c.command.environment, [](const Setting& one) { return one.name == "RAY_ADDRESS"; });
  return addressed ||
         (c.serve.pipeline_parallel.value() > 1 && c.serve.tensor_parallel.value() <= seen);
}

Message what_happens(const Case& c, int seen) {
  const bool one_replica = c.serve.world_size().value_or(1) > seen;
  if (turns_to_ray(c, seen)) {
    const auto minutes = trait(c.serve.engine, "ray-wait-minutes", c.serve.version);
    return {kRay, {{"minutes", minutes.value_or("30")}}};
  }
  const bool one_host = c.serve.node_count.value_or(1) == 1;
  const bool refused = one_replica && one_host && !c.serve.executor_backend.known() &&
                       trait(c.serve.engine, "gpus-too-few", c.serve.version) == "refused";
  if (refused) return {kRefused, {{"seen", seen}}};
  return one_replica ? Message{kRankStops}
                     : Message{of_engine(c.serve, kReplicaStopsOf, kReplicaStops)};
}

// The GPUs that are seen and so many more of the host's, by index: those against which nothing is
// known first.
std::optional<std::string> wider_mask(const Case& c, int wanted) {
  const int count = c.host().gpu_count.value();
  if (!c.visible.masked || c.visible.by_uuid || wanted > count) return {};
  std::vector<int> shown = c.visible.gpus;
  const auto well = [&c](int gpu) {
    const auto& all = c.host().gpus;
    const auto found = std::ranges::find(all, gpu, &Gpu::index);
    return found == all.end() || seems_well(*found);
  };
  for (const bool wanted_well : {true, false}) {
    for (int gpu = 0; gpu < count && static_cast<int>(shown.size()) < wanted; ++gpu) {
      if (well(gpu) == wanted_well && std::ranges::find(shown, gpu) == shown.end())
        shown.push_back(gpu);
    }
  }
  std::ranges::sort(shown);
  return join(shown, ",");
}

// An earlier first GPU, as late as leaves enough; none in between are passed over then.
std::optional<Proposal> earlier_start(const Case& c, int wanted) {
  const int first = c.host().gpu_count.value() - wanted;
  if (passes_over(c.serve) == nullptr || c.visible.masked || first < 0) return {};
  Proposal proposal{.title = {kBegin, {{"first", first}, {"last", first + wanted - 1}}},
                    .changes = {remove_flag("--gpu-id-step")}};
  proposal.changes.push_back(first == 0 ? remove_flag("--base-gpu-id")
                                        : set_flag("--base-gpu-id", std::to_string(first)));
  return proposal;
}

// It starts a script whose ranks may do without a GPU.
bool starts_any_script(const ServeSpec& serve) {
  const OtherEngine* other = find_other_engine(serve.engine);
  return other != nullptr && other->kind == OtherEngine::Kind::Launcher;
}

void propose(const Case& c, Complaint& complaint, int wanted, int seen) {
  if (starts_any_script(c.serve)) {
    const int ranks = seen * c.serve.node_count.value_or(1);
    if (ranks > 0) {
      complaint.proposals.push_back(
          {{kFewerRanks}, {set_flag("--tensor-parallel-size", std::to_string(ranks))}});
    }
    return;
  }
  const int count = c.host().gpu_count.value();
  if (auto earlier = earlier_start(c, wanted)) complaint.proposals.push_back(std::move(*earlier));
  if (const auto mask = wider_mask(c, wanted)) {
    complaint.proposals.push_back(
        {{wanted == count ? kShowAll : kShow, {{"wanted", wanted}, {"count", count}}},
         {set_environment("CUDA_VISIBLE_DEVICES", *mask)}});
  }
  if (!c.visible.masked && c.host().gpu_count.span()) {
    auto changes = hand_in_gpus(c, wanted);
    const Argument machine("count", c.machine().gpu_count.value_or(0));
    if (!changes.empty()) {
      std::ranges::move(shared_memory_for_ranks(c), std::back_inserter(changes));
      complaint.proposals.push_back({{kHandIn, {{"wanted", wanted}, machine}}, std::move(changes)});
    }
  }
  const int replicas = seen / c.serve.world_size().value_or(1);
  const bool fewer_replicas = c.serve.data_parallel.value() > 1 && replicas >= 1 &&
                              c.serve.use_of("--data-parallel-size-local") == nullptr;
  if (fewer_replicas) {
    complaint.proposals.push_back(
        {{kReplicas, {{"replicas", replicas}}},
         {replicas == 1 ? remove_flag("--data-parallel-size")
                        : set_flag("--data-parallel-size", std::to_string(replicas))}});
  }
  propose_layouts(c, complaint);
}

std::vector<Complaint> check(const Case& c) {
  const auto wanted = wanted_here(c.serve);
  const int seen = static_cast<int>(c.visible.gpus.size());
  // A host without any GPU is another finding.
  if (!wanted || *wanted <= seen || c.host().gpu_count.value() < 1) return {};
  if (places_ranks_itself(c.serve)) return {};
  // A group of machines that is started together: Ray, or the engine's own flags, join them.
  const int hosts = c.around.hosts.value_or(1);
  if (hosts > 1 && *wanted <= seen * hosts) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const SizeFlag flag = size_asked(c.serve);
  const bool all_hidden = seen == 0 && *wanted == 1;
  d.title = all_hidden ? Message{kNone} : Message{kTitle, {{"wanted", *wanted}, {"seen", seen}}};
  if (flag.fact != nullptr) mark(d, *flag.fact, label(c.serve, *wanted));
  say_where_from(d, c, seen);
  d.because = kBecause;
  d.otherwise = what_happens(c, seen);
  d.subject = flag.name;
  const bool may_run = turns_to_ray(c, seen) && may_have_cluster(c, seen);
  if (may_run || starts_any_script(c.serve)) complaint.severity = Severity::Warning;
  propose(c, complaint, *wanted, seen);
  return {complaint};
}

}  // namespace

extern const Rule too_few_gpus{
    .code = "SX2101",
    .name = "too-few-gpus",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = {},
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
