// SX3107. The long explanation and the scenes are in mem_fraction_too_low.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "check/memory_verdict.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/run_rules.h"
#include "check/speak.h"
#include "engines/engine.h"
#include "engines/sglang/memory.h"
#include "rules/memory/memory_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "{fraction} of the free memory has no room for KV cache: weights take {weights}",
    "空闲显存的 {fraction} 放不下 KV 缓存：光权重就占 {weights}"};
constexpr Text kMaybe{
    "{fraction} of the free memory may have no room for KV cache: weights take about {weights}",
    "空闲显存的 {fraction} 可能放不下 KV 缓存：权重约占 {weights}"};
constexpr Text kLabel{"{share} for weights and KV cache; weights take {bytes} on {where}",
                      "权重与 KV 缓存共 {share}；{where} 的权重占 {bytes}"};
constexpr Text kOwn{
    "{fraction} is what {engine} takes by itself on these cards: {share} for weights and KV cache, "
    "of which weights take {bytes} on {where}",
    "{engine} 在这种卡上自行取 {fraction}：权重与 KV 缓存共 {share}，其中 {where} 的权重占 "
    "{bytes}"};
constexpr Text kFree{
    "free before loading on {where}: {before}; the rest of it is for graphs and "
    "activations, about {need}",
    "{where} 在加载前空闲 {before}；其余留给 CUDA graph 和激活值，约需 {need}"};
constexpr Text kBecause{
    "weights and KV cache share this part of what is free before loading; KV cache gets what "
    "weights leave of it",
    "权重与 KV 缓存共用加载前空闲显存的这一部分；KV 缓存只能用权重占剩的"};
constexpr Text kOtherwise{
    "after loading all weights, often minutes, the ranks stop and ask for a larger "
    "--mem-fraction-static",
    "加载完全部权重之后（往往要几分钟），各 rank 退出，并提示增大 --mem-fraction-static"};
constexpr Text kRaise{"{fraction} of the free memory instead of {now} (room for {tokens} tokens)",
                      "用空闲显存的 {fraction}，而不是 {now}（可容 {tokens} 个 token）"};

// Of the budget; its own need would hold this rule back behind the weaker ones that it covers.
constexpr Need kNeeds[] = {Need::ModelShape, Need::HostGpuMemory, Need::VisibleDevices};
constexpr Need kDoubts[] = {Need::MemoryBudget};
constexpr std::string_view kCovers[] = {"SX3101", "SX3102"};
constexpr const char* kFlag = "--mem-fraction-static";

std::string written(double fraction) { return fmt::format("{:.2f}", fraction); }

// The largest share, in whole hundredths, that leaves graphs and activations what they need.
int most_hundredths(const SglangSlack& slack) {
  const double part = static_cast<double>(slack.need.count()) /
                      static_cast<double>(std::max<std::int64_t>(1, slack.before.count()));
  return static_cast<int>(std::floor((1 - part) * 100));
}

std::optional<Budget> budget_with(const Case& c, int hundredths) {
  const auto again = asked_again(c, std::vector{set_flag(kFlag, written(hundredths / 100.0))});
  const auto layout = again ? layout_of(again->serve) : std::nullopt;
  if (!layout) return {};
  const auto verdict = memory_verdict(*again);
  if (verdict && verdict->what != MemoryBreak::TooShort) return {};
  auto budget = sglang_budget(*again, *layout);
  return budget ? std::optional(std::move(*budget)) : std::nullopt;
}

// The smallest share with a whole request in its KV cache, else the largest that is safe.
std::optional<Proposal> raised(const Case& c, const SglangSlack& slack) {
  const int most = most_hundredths(slack);
  for (int i = static_cast<int>(slack.fraction * 100) + 1; i <= most; ++i) {
    const auto budget = budget_with(c, i);
    const bool enough = budget && budget->kv_tokens >= budget->request_tokens;
    if (!budget || (!enough && i < most)) continue;
    const std::string fraction = written(i / 100.0);
    return Proposal{.title = {kRaise,
                              {{"fraction", fraction},
                               {"now", written(slack.fraction)},
                               {"tokens", budget->kv_tokens}}},
                    .changes = {set_flag(kFlag, fraction)}};
  }
  return {};
}

void tell(const Case& c, const MemoryVerdict& verdict, const SglangSlack& slack, Diagnostic& d) {
  const Bytes weights = weights_of(verdict.at()).bytes;
  const auto before = static_cast<double>(std::max<std::int64_t>(1, slack.before.count()));
  const Argument fraction("fraction", written(slack.fraction)),
      place = where(c, verdict), share("share", fraction_of(slack.before, slack.fraction)),
      bytes("bytes", weights);
  d.title = {verdict.certain ? kTitle : kMaybe,
             {fraction, {"weights", written(static_cast<double>(weights.count()) / before)}}};
  if (c.serve.memory_fraction.span()) {
    mark(d, c.serve.memory_fraction, {kLabel, {share, bytes, place}});
  } else {
    mark(d, c.serve.model,
         {kOwn, {fraction, {"engine", engine_and_version(c.serve)}, share, bytes, place}});
  }
  d.basis.push_back({kFree, {place, {"before", slack.before}, {"need", slack.need}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  // That of the rule that it covers.
  d.subject = verdict.what == MemoryBreak::Weights ? "weights" : "kv-cache";
  d.confidence = Confidence::Computed;
}

std::vector<Complaint> check(const Case& c) {
  const auto verdict = memory_verdict(c);
  if (!verdict || verdict->what == MemoryBreak::TooShort) return {};
  const auto layout = layout_of(c.serve);
  const auto slack = layout ? sglang_slack(c, *layout) : std::nullopt;
  if (!slack) return {};
  // Where no share is large enough, other rules say what is too large.
  const auto proposal = raised(c, *slack);
  if (!proposal) return {};
  Complaint complaint;
  complaint.severity = verdict->certain ? Severity::Error : Severity::Warning;
  tell(c, *verdict, *slack, complaint.diagnostic);
  complaint.proposals.push_back(*proposal);
  return {complaint};
}

}  // namespace

extern const Rule mem_fraction_too_low{
    .code = "SX3107",
    .name = "mem-fraction-too-low",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfSglang,
    .check = check,
};

}  // namespace sx::rules
