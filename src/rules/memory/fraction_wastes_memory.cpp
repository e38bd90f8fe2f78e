// SX3115. The long explanation and the scenes are in fraction_wastes_memory.md.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "check/free_memory.h"
#include "check/memory_verdict.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/run_rules.h"
#include "check/speak.h"
#include "engines/engine.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{unused} of the {card} of each GPU stay unused: the share is {fraction}",
                      "每张 GPU 的 {card} 显存中有 {unused} 闲置：显存占比只有 {fraction}"};
constexpr Text kLabel{"KV cache for {tokens} tokens; {most} would be possible",
                      "KV 缓存可容 {tokens} 个 token，最多可容 {most} 个"};
constexpr Text kBecause{
    "weights take what they take; each further part of the card is KV cache, that is, requests at "
    "once",
    "权重占多少是固定的；多出来的每一份显存都是 KV 缓存，也就是并发请求数"};
constexpr Text kOtherwise{"it works, and queues requests that the cards could serve at once",
                          "可以运行，但本可以同时处理的请求会排队"};
constexpr Text kMore{"{share} of each card instead of {now} (room for {tokens} tokens of KV cache)",
                     "每张卡用到 {share}，而不是 {now}（KV 缓存可容 {tokens} 个 token）"};

constexpr Need kNeeds[] = {Need::MemoryBudget};

// Below it a card is meant to be shared, or the number is a remnant; our choice.
constexpr double kLowShare = 0.7;
// Part of a card that is worth a word; our choice.
constexpr double kMuch = 0.25;

// Another launch of the same file, or another process now, may be what the rest is for.
bool shares_its_cards(const Case& c) {
  if (c.all_launches != nullptr && c.all_launches->size() > 1) return true;
  if (c.serve.data_parallel.value_or(1) > 1) return true;
  static constexpr Bytes kNoticeable = gib(1);
  return std::ranges::any_of(gpus_of_launch(c), [](const Gpu* gpu) {
    return gpu->used.known() && gpu->used.value() > kNoticeable;
  });
}

// More than all requests that may run can fill is of no use.
bool enough_already(const Budget& budget) {
  return budget.max_concurrency >= static_cast<double>(std::max(1, budget.max_num_seqs));
}

std::vector<Complaint> check(const Case& c) {
  if (!c.serve.memory_fraction.asked() || c.serve.kv_cache_bytes.known()) return {};
  const double now = c.serve.memory_fraction.value();
  if (now <= 0 || now >= kLowShare || shares_its_cards(c)) return {};
  const auto budget = budget_of(c);
  if (!budget || budget->kv_tokens < budget->request_tokens || enough_already(*budget)) return {};
  const GpuBudget& gpu = budget->tightest();
  const BudgetLine* unused = gpu.line("unused");
  if (unused == nullptr || unused->bytes < fraction_of(gpu.capacity, kMuch)) return {};
  const std::vector<Change> changes{remove_flag("--gpu-memory-utilization")};
  const auto again = asked_again(c, changes);
  const auto most = again ? budget_of(*again) : std::nullopt;
  if (!most || most->kv_tokens <= budget->kv_tokens) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = {kTitle, {{"unused", unused->bytes}, {"card", gpu.capacity}, {"fraction", now}}};
  mark(d, c.serve.memory_fraction,
       {kLabel, {{"tokens", budget->kv_tokens}, {"most", most->kv_tokens}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--gpu-memory-utilization";
  const std::string share = fmt::format("{:.2f}", most->memory_fraction);
  complaint.proposals.push_back(
      {.title = {kMore, {{"share", share}, {"now", now}, {"tokens", most->kv_tokens}}},
       .changes = changes});
  return {complaint};
}

}  // namespace

extern const Rule fraction_wastes_memory{
    .code = "SX3115",
    .name = "fraction-wastes-memory",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
