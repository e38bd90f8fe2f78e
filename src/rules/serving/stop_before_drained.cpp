// SX8108. The long explanation and the scenes are in stop_before_drained.md.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/constants.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{grace} s to stop, and draining takes up to {drain} s and {margin} s to end",
                      "停止只等 {grace} 秒，而排空最多 {drain} 秒，之后退出还要 {margin} 秒"};
constexpr Text kDrain{"requests get {drain} s to end", "给请求 {drain} 秒结束"};
constexpr Text kGrace{"{grace} s until the hard signal", "{grace} 秒后强制结束"};
constexpr Text kStandard{"{grace} s until the hard signal: what holds when nothing is said",
                         "{grace} 秒后强制结束：没有写明时的默认值"};
constexpr Text kBecause{"the hard signal (SIGKILL) ends requests wherever they are",
                        "强制信号（SIGKILL）会让进行中的请求立即中断"};
constexpr Text kOtherwise{
    "at each stop and each rollout the last requests break off in the middle of an answer",
    "每次停止或滚动更新时，最后一批请求会在回答中途断开"};
constexpr Text kShorter{"drain for {drain} s, so that it ends before the hard signal",
                        "排空时间改为 {drain} 秒，赶在强制信号之前结束"};
constexpr Text kNoFix{
    "give it {needed} s: terminationGracePeriodSeconds in Kubernetes, stop_grace_period in "
    "compose, "
    "TimeoutStopSec in a unit",
    "把时间给到 {needed} 秒：Kubernetes 用 terminationGracePeriodSeconds，compose 用 "
    "stop_grace_period，systemd 用 TimeoutStopSec"};

std::int64_t whole(double seconds) { return std::llround(seconds); }

std::vector<Complaint> check(const Case& c) {
  const FlagUse* use = c.serve.use_of("--shutdown-timeout");
  const auto margin = constant(c.serve.engine, "stop-margin", c.serve.version);
  if (use == nullptr || use->values.empty() || !c.around.stop_timeout_s.known() || !margin)
    return {};
  const auto drain = to_number(use->values.front());
  const double grace = c.around.stop_timeout_s.value();
  if (!drain || *drain <= 0 || grace >= *drain + margin->value) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument seconds("grace", whole(grace));
  d.title = {kTitle, {seconds, {"drain", whole(*drain)}, {"margin", whole(margin->value)}}};
  mark(d, use->span, {kDrain, {{"drain", whole(*drain)}}});
  also(d, c.around.stop_timeout_s, {kGrace, {seconds}}, {kStandard, {seconds}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.no_fix = {kNoFix, {{"needed", whole(*drain + margin->value)}}};
  d.subject = "--shutdown-timeout";
  const std::int64_t shorter = whole(grace - margin->value);
  if (shorter > 0) {
    complaint.proposals.push_back(
        {.title = {kShorter, {{"drain", shorter}}},
         .changes = {set_flag("--shutdown-timeout", std::to_string(shorter))}});
  }
  return {complaint};
}

}  // namespace

extern const Rule stop_before_drained{
    .code = "SX8108",
    .name = "stop-before-drained",
    .severity = Severity::Advice,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
