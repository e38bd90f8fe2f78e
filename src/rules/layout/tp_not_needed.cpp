// SX2127. The long explanation and the scenes are in tp_not_needed.md.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "check/layouts.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "engines/context_limit.h"
#include "engines/engine.h"
#include "fit/links.h"
#include "fit/splits.h"

namespace sx::rules {
namespace {

constexpr std::string_view kCovered[] = {"SX6110"};
constexpr Text kTitle{
    "one card holds this model and {requests} requests of full length; it is split over {tp}",
    "一张卡就能放下这个模型和 {requests} 个最长请求，却切分到 {tp} 张卡"};
constexpr Text kLabel{"without NVLink between them", "卡之间没有 NVLink"};
constexpr Text kRoom{
    "on one card: weights {weights}, at least {tokens} tokens of KV cache; {length} a request",
    "一张卡上：权重 {weights}，KV 缓存至少 {tokens} 个 token；每个请求最长 {length}"};
constexpr Text kBecause{
    "the ranks of a tensor group wait for each other twice a layer; replicas do not wait for each "
    "other at all",
    "张量并行组的 rank 每层要互相等待两次；副本之间完全不用等待"};
constexpr Text kOtherwise{
    "it runs, with fewer tokens a second in all than as many replicas on the same cards",
    "可以运行，但总吞吐低于在同样的卡上运行同样数量的副本"};
constexpr Text kReplicas{
    "{tp} replicas of one card each, behind one port; a single request gets no faster",
    "每张卡一个副本，共 {tp} 个，共用一个端口；单个请求不会变快"};

constexpr Need kNeeds[] = {Need::Layout, Need::VisibleDevices, Need::HostGpuMemory,
                           Need::MemoryBudget};
constexpr double kPlenty = 8;  // requests of full length: below that the room of more cards counts

bool without_nvlink(const Case& c, int ranks) {
  const auto& classes = c.host().links.classes;
  for (int i = 0; i < ranks; ++i) {
    if (static_cast<std::size_t>(i) >= c.visible.gpus.size()) return false;
    const auto gpu = static_cast<std::size_t>(c.visible.gpus[static_cast<std::size_t>(i)]);
    if (gpu < classes.size()) {
      const bool some = std::ranges::any_of(
          classes[gpu], [](const std::string& cell) { return is_nvlink(cell); });
      if (some) return false;
    } else if (gpu >= c.host().gpus.size() || c.host().gpus[gpu].nvlink.value_or(true)) {
      return false;
    }
  }
  return ranks > 0;
}

std::optional<Tokens> length_of(const Case& c) {
  if (c.serve.max_model_len.known()) return c.serve.max_model_len.value();
  const auto limit = context_limit(c.serve, c.model());
  return limit ? std::optional(Tokens{limit->most}) : std::nullopt;
}

// Sizes of tensor groups only: the other kinds are chosen for reasons of their own.
bool plain(const Layout& layout) {
  return layout.tensor > 1 && layout.gpus() == layout.tensor && layout.data == 1;
}

std::vector<Complaint> check(const Case& c) {
  const auto layout = layout_of(c.serve);
  const Engine* engine = find_engine(c.serve.engine);
  if (!layout || engine == nullptr || !plain(*layout) || !without_nvlink(c, layout->tensor))
    return {};
  if (c.serve.attention_data_parallel.value_or(1) > 1 || c.serve.node_count.value_or(1) > 1)
    return {};
  Layout replicas = *layout;
  replicas.data = layout->tensor;
  replicas.tensor = 1;
  const auto budget = engine->budget(c, replicas);
  const auto length = length_of(c);
  if (!budget || !length || length->count() <= 0) return {};
  if (!split_problems(c.model(), engine->split_ask(c, replicas)).empty()) return {};
  const double requests =
      static_cast<double>(budget->kv_tokens_low.count()) / static_cast<double>(length->count());
  if (requests < kPlenty) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = {kTitle, {{"requests", std::floor(requests)}, {"tp", layout->tensor}}};
  mark(d, c.serve.tensor_parallel, kLabel);
  const BudgetLine* weights = budget->tightest().line("weights");
  const Bytes held = weights == nullptr ? Bytes{} : weights->bytes;
  d.basis.push_back(
      {kRoom, {{"weights", held}, {"tokens", budget->kv_tokens_low}, {"length", *length}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--tensor-parallel-size";
  complaint.proposals.push_back({.title = {kReplicas, {{"tp", layout->tensor}}},
                                 .changes = changes_to(c, replicas),
                                 .safety = Safety::Trades});
  return {complaint};
}

}  // namespace

extern const Rule tp_not_needed{
    .code = "SX2127",
    .name = "tp-not-needed",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .covers = kCovered,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
