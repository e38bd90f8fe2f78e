// SX2102. The long explanation and the scenes are in gpus_left_idle.md.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/layouts.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "engines/engine.h"
#include "fit/splits.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"GPUs left idle: {idle} of {seen}", "闲置的 GPU：{seen} 张中的 {idle} 张"};
constexpr Text kUses{"takes {used} GPUs", "占用 {used} 张 GPU"};
constexpr Text kUsesOne{"takes one GPU: no parallel size is given",
                        "只占用一张 GPU：没有指定并行数"};
constexpr Text kBecause{"the engine takes the GPUs that its parallel sizes ask for, never more",
                        "引擎只占用并行数要求的 GPU，不会自动多用"};
constexpr Text kOtherwise{"it runs; the idle cards add neither room nor speed",
                          "可以运行；闲置的卡既不增加容量，也不提升速度"};
constexpr Text kReplicas{"{replicas} replicas behind one port, for more requests at once",
                         "同一端口后面 {replicas} 个副本，可同时处理更多请求"};
constexpr Text kOneReplica{
    "one replica over all {seen}, {layout}: {tokens} tokens of KV cache instead of {now}",
    "一个副本用满 {seen} 张，{layout}：KV 缓存从 {now} 增加到 {tokens} 个 token"};
constexpr Text kOtherLaunch{
    "another launch, such as an embedding model, can have the rest: CUDA_VISIBLE_DEVICES={rest}",
    "其余的卡可以跑另一个服务，例如向量模型：CUDA_VISIBLE_DEVICES={rest}"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::HostGpus, Need::VisibleDevices};

// A desktop or a monitor holds less than this share of a card; a model holds more.
constexpr double kInUse = 0.05;
// Less is not worth another layout: estimates of room are not closer.
constexpr double kNoticed = 1.05;

bool in_use(const Gpu& gpu) {
  if (!gpu.used.known() || !gpu.usable.known()) return false;
  return static_cast<double>(gpu.used.value().count()) >
         kInUse * static_cast<double>(gpu.usable.value().count());
}

int free_gpus(const Case& c) {
  int count = 0;
  for (const int gpu : c.visible.gpus) {
    const auto at = static_cast<std::size_t>(gpu);
    if (at >= c.host().gpus.size() || !in_use(c.host().gpus[at])) ++count;
  }
  return count;
}

// Somebody decided which GPUs these are: a mask, another launch beside this one, ranks placed by
// hand or over several hosts.
bool on_purpose(const Case& c) {
  static constexpr std::array<std::string_view, 8> kByHand{"--device-ids",
                                                           "--base-gpu-id",
                                                           "--gpu-id-step",
                                                           "--headless",
                                                           "--data-parallel-size-local",
                                                           "--data-parallel-rank",
                                                           "--data-parallel-start-rank",
                                                           "--data-parallel-address"};
  const bool by_hand = std::ranges::any_of(
      kByHand, [&c](std::string_view flag) { return c.serve.use_of(flag) != nullptr; });
  const bool beside_others = c.all_launches != nullptr && c.all_launches->size() > 1;
  const bool one_host = c.serve.node_count.known() && c.serve.node_count.value() == 1;
  const bool own_ranks = c.serve.executor_backend.known() &&
                         c.serve.executor_backend.value() != "mp" &&
                         c.serve.executor_backend.value() != "uni";
  return c.visible.masked || beside_others || by_hand || !one_host || own_ranks;
}

bool splits(const Case& c, const Layout& layout) {
  const Engine* engine = find_engine(c.serve.engine);
  return engine != nullptr && split_problems(c.model(), engine->split_ask(c, layout)).empty();
}

void mark_launch(Diagnostic& d, const Case& c, int used) {
  for (const Fact<int>* size :
       {&c.serve.tensor_parallel, &c.serve.pipeline_parallel, &c.serve.data_parallel}) {
    if (!size->asked()) continue;
    mark(d, *size, {kUses, {{"used", used}}});
    return;
  }
  if (c.serve.model.asked()) mark(d, c.serve.model, {kUsesOne});
}

void propose_replicas(const Case& c, Complaint& complaint, const Layout& now, int free) {
  // Where attention is split by requests, --data-parallel-size may mean that split.
  if (c.serve.attention_data_parallel.value_or(1) > 1) return;
  const int replicas = free / now.gpus_a_replica();
  Layout more = now;
  more.data = replicas;
  if (replicas <= now.data || more.gpus() != free || !splits(c, more)) return;
  complaint.proposals.push_back({{kReplicas, {{"replicas", replicas}}},
                                 {set_flag("--data-parallel-size", std::to_string(replicas))}});
}

void propose_one_replica(const Case& c, Complaint& complaint, const Layout& now, int free) {
  const Engine* engine = find_engine(c.serve.engine);
  if (engine == nullptr || free < static_cast<int>(c.visible.gpus.size())) return;
  const auto budget = engine->budget(c, now);
  if (!budget) return;
  for (const LayoutChoice& choice : layout_choices(c)) {
    if (!choice.fits || !choice.budget || choice.layout.gpus() != free) continue;
    const Tokens room = choice.budget->kv_tokens;
    const bool more = static_cast<double>(room.count()) >
                      kNoticed * static_cast<double>(budget->kv_tokens.count());
    if (!more) return;
    complaint.proposals.push_back({{kOneReplica,
                                    {{"seen", free},
                                     {"layout", choice.layout.label()},
                                     {"tokens", room},
                                     {"now", budget->kv_tokens}}},
                                   changes_to(c, choice.layout)});
    return;
  }
}

std::vector<Complaint> check(const Case& c) {
  const auto layout = layout_of(c.serve);
  if (!layout || on_purpose(c) || !splits(c, *layout)) return {};
  const int free = free_gpus(c);
  const int idle = free - layout->gpus();
  if (idle < 1) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"idle", idle}, {"seen", c.visible.gpus.size()}}};
  mark_launch(d, c, layout->gpus());
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "GPUs";
  propose_replicas(c, complaint, *layout, free);
  propose_one_replica(c, complaint, *layout, free);
  const std::vector<int> rest(c.visible.gpus.begin() + layout->gpus(), c.visible.gpus.end());
  d.no_fix = {kOtherLaunch, {{"rest", join(rest, ",")}}};
  return {complaint};
}

}  // namespace

extern const Rule gpus_left_idle{
    .code = "SX2102",
    .name = "gpus-left-idle",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .doubts = {},
    .covers = {},
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
