// SX3108. The long explanation and the scenes are in mem_fraction_too_high.md.
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

namespace sx::rules {
namespace {

constexpr Text kTitle{"{left} are left for CUDA graphs and activations, about {need} are needed",
                      "CUDA graph 和激活值只剩 {left}，约需 {need}"};
constexpr Text kNothing{"nothing is left for CUDA graphs and activations, about {need} are needed",
                        "没有给 CUDA graph 和激活值留下显存，约需 {need}"};
constexpr Text kLabel{"{share} of the {before} that are free before loading",
                      "加载前空闲的 {before} 中的 {share}"};
constexpr Text kStep{
    "activations of a step of {step} tokens: about {activations}; CUDA graphs: about "
    "{graphs} (together {low} to {high})",
    "一步 {step} 个 token 的激活值约 {activations}，CUDA graph 约 {graphs}（合计 "
    "{low} 到 {high}）"};
constexpr Text kByDefault{"without the flag {engine} takes {fraction} on these cards",
                          "不写这个参数时，{engine} 在这种卡上取 {fraction}"};
constexpr Text kBecause{
    "CUDA graphs and the activations of each step lie outside the share of weights and KV cache",
    "CUDA graph 和每一步的激活值都在权重与 KV 缓存的占比之外"};
constexpr Text kOtherwise{
    "\"CUDA out of memory\" while CUDA graphs are captured, or later, with the first long prompt",
    "在捕获 CUDA graph 时报“CUDA out of memory”，或者启动之后在遇到第一个长提示词时才报"};
constexpr Text kLower{"{fraction} of the free memory instead of {now}",
                      "用空闲显存的 {fraction}，而不是 {now}"};
constexpr Text kShorter{"prefill in steps of {chunk} tokens instead of {now}",
                        "每步预填充 {chunk} 个 token，而不是 {now} 个"};

constexpr Need kNeeds[] = {Need::MemoryBudget};
constexpr const char* kFlag = "--mem-fraction-static";
constexpr const char* kChunk = "--chunked-prefill-size";

std::string written(double fraction) { return fmt::format("{:.2f}", fraction); }

std::optional<SglangSlack> slack_of(const Case& c) {
  const auto layout = layout_of(c.serve);
  return layout ? sglang_slack(c, *layout) : std::nullopt;
}

// Of the share that leaves all of the best estimate, in whole hundredths; never below what the
// engine would take.
void propose_lower(const Case& c, const SglangSlack& slack, std::vector<Proposal>& proposals) {
  const auto before = static_cast<double>(std::max<std::int64_t>(1, slack.before.count()));
  const double part = 1 - static_cast<double>(slack.need.count()) / before;
  const int hundredths = static_cast<int>(std::floor(part * 100));
  const std::string fraction = written(hundredths / 100.0);
  if (hundredths <= 0 || hundredths / 100.0 >= slack.fraction) return;
  const auto again = asked_again(c, std::vector{set_flag(kFlag, fraction)});
  if (!again || memory_verdict(*again)) return;
  proposals.push_back(
      {.title = {kLower, {{"fraction", fraction}, {"now", written(slack.fraction)}}},
       .changes = {set_flag(kFlag, fraction)}});
}

void propose_shorter(const Case& c, const SglangSlack& slack, std::vector<Proposal>& proposals) {
  for (std::int64_t chunk = 8192; chunk >= 1024; chunk /= 2) {
    if (chunk >= slack.step.count()) continue;
    const auto again = asked_again(c, std::vector{set_flag(kChunk, std::to_string(chunk))});
    const auto less = again ? slack_of(*again) : std::nullopt;
    if (!less || less->left < less->need) continue;
    proposals.push_back({.title = {kShorter, {{"chunk", Tokens{chunk}}, {"now", slack.step}}},
                         .changes = {set_flag(kChunk, std::to_string(chunk))},
                         .safety = Safety::Trades});
    return;
  }
}

std::vector<Complaint> check(const Case& c) {
  const auto slack = slack_of(c);
  if (!slack || !slack->asked || slack->left >= slack->need) return {};
  Complaint complaint;
  complaint.severity = slack->left < slack->low ? Severity::Error : Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  const Argument need("need", slack->need);
  d.title = slack->left > Bytes{0} ? Message(kTitle, {{"left", slack->left}, need})
                                   : Message(kNothing, {need});
  mark(d, c.serve.memory_fraction,
       {kLabel,
        {{"share", fraction_of(slack->before, slack->fraction)}, {"before", slack->before}}});
  d.basis.push_back({kStep,
                     {{"step", slack->step},
                      {"activations", slack->activations},
                      {"graphs", slack->graphs},
                      {"low", slack->low},
                      {"high", slack->high}}});
  constexpr double kNoShare = 0.1;  // with such steps the engine's own share is of no use
  if (slack->by_default > kNoShare) {
    d.basis.push_back(
        {kByDefault,
         {{"engine", engine_and_version(c.serve)}, {"fraction", written(slack->by_default)}}});
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = kFlag;
  if (c.asked_again) return {complaint};
  propose_lower(c, *slack, complaint.proposals);
  propose_shorter(c, *slack, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule mem_fraction_too_high{
    .code = "SX3108",
    .name = "mem-fraction-too-high",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfSglang,
    .check = check,
};

}  // namespace sx::rules
