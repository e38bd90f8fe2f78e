// SX8105. The long explanation and the scenes are in probe_too_early.md.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "rules/serving/probes.h"
#include "rules/serving/start_time.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{probe} gives up after {limit} s; a start takes {low} to {high} s",
                      "{probe} 在 {limit} 秒后放弃，而启动需要 {low} 到 {high} 秒"};
constexpr Text kLabel{"first asked after {delay} s, then {failures} times, {period} s apart",
                      "{delay} 秒后开始，每 {period} 秒一次，失败 {failures} 次为止"};
constexpr Text kLoads{
    "{weights} of weights at {slow} to {fast} GiB/s, and {least} to {most} s for the rest: about "
    "{mid} s",
    "权重 {weights}，读取速度 {slow} 到 {fast} GiB/s，其余步骤 {least} 到 {most} 秒：大约 {mid} "
    "秒"};
constexpr Text kWithoutLoading{
    "{least} to {most} s without the weights, whose size is not known here: about {mid} s",
    "不算权重要 {least} 到 {most} 秒（权重大小在这里未知）：大约 {mid} 秒"};
constexpr Text kBecause{
    "nobody answers on the port, or only with 503, until weights are loaded and graphs captured",
    "权重加载完、CUDA graph 捕获完之前，端口无人应答，或者只返回 503"};
constexpr Text kKilled{
    "when loading takes longer than that the kubelet kills the container, and again after each "
    "restart: CrashLoopBackOff",
    "加载时间超过它时，kubelet 会杀掉容器，每次重启后又是如此：CrashLoopBackOff"};
constexpr Text kUnhealthy{
    "the container counts as unhealthy while it loads: services that wait for service_healthy do "
    "not start",
    "加载期间容器被标为 unhealthy：等待 service_healthy 的服务不会启动"};
constexpr Text kGiveStartup{
    "the command cannot change it: add a startupProbe with periodSeconds: 10 and failureThreshold: "
    "{times}; the liveness probe then waits for it",
    "改命令没有用：加一个 startupProbe，periodSeconds: 10、failureThreshold: {times}；它通过之前 "
    "livenessProbe 不会开始"};
constexpr Text kRaise{
    "the command cannot change it: with periodSeconds: 10 set failureThreshold: {times} for the "
    "startupProbe",
    "改命令没有用：startupProbe 在 periodSeconds: 10 时把 failureThreshold 设为 {times}"};
constexpr Text kRaiseHealth{
    "the command cannot change it: set start_period: {seconds}s for the healthcheck",
    "改命令没有用：把 healthcheck 的 start_period 设为 {seconds}s"};

constexpr double kPeriod = 10;  // of the probe that is proposed; Kubernetes' own default

const HealthProbe* probe_of(const Surroundings& around, HealthProbe::Kind kind) {
  const auto found = std::ranges::find(around.probes, kind, &HealthProbe::kind);
  return found == around.probes.end() ? nullptr : &*found;
}

// The one that decides while the engine starts: a startup probe holds the liveness probe back.
const HealthProbe* deciding_probe(const Surroundings& around) {
  if (const auto* startup = probe_of(around, HealthProbe::Kind::Startup)) return startup;
  if (const auto* liveness = probe_of(around, HealthProbe::Kind::Liveness)) return liveness;
  return around.kind == Surroundings::Kind::Compose ? probe_of(around, HealthProbe::Kind::Health)
                                                    : nullptr;
}

// The latest moment at which it can give up. Empty: not known, or it asks something else than HTTP.
std::optional<double> limit_of(const HealthProbe& probe) {
  const bool asks_http = probe.kind == HealthProbe::Kind::Health || !probe.path.empty();
  if (!asks_http || !probe.initial_delay_s || !probe.period_s || !probe.failures) return {};
  return probe.initial_delay_s.value() + probe.period_s.value() * probe.failures.value();
}

// In whole seconds, as they are shown: a limit of exactly the estimate is enough.
std::optional<Severity> severity_of(double limit, const TimeBand& start, HealthProbe::Kind kind) {
  limit = std::round(limit);
  const bool kills = kind != HealthProbe::Kind::Health;
  if (limit < std::round(start.low)) return kills ? Severity::Error : Severity::Warning;
  if (limit < std::round(start.mid)) return kills ? Severity::Warning : Severity::Advice;
  if (limit < std::round(start.high) && kills) return Severity::Advice;
  return {};
}

std::int64_t whole(double seconds) { return std::llround(seconds); }

void say_time(const StartTime& start, Diagnostic& d) {
  std::vector<Argument> arguments{{"least", whole(start.rest.low)},
                                  {"most", whole(start.rest.high)},
                                  {"mid", whole(start.whole.mid)}};
  if (!start.weights) {
    d.basis.push_back({kWithoutLoading, std::move(arguments)});
    return;
  }
  arguments.emplace_back("weights", *start.weights);
  arguments.emplace_back("slow", start.rate.low);
  arguments.emplace_back("fast", start.rate.high);
  d.basis.push_back({kLoads, std::move(arguments)});
}

std::vector<Complaint> check(const Case& c) {
  const HealthProbe* probe = deciding_probe(c.around);
  if (probe == nullptr) return {};
  const auto limit = limit_of(*probe);
  const auto start = start_time_of(c);
  if (!limit || !start) return {};
  const auto severity = severity_of(*limit, start->whole, probe->kind);
  if (!severity) return {};

  Complaint complaint;
  complaint.severity = severity;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  const std::string_view name = probe_name(probe->kind);
  d.title = {kTitle,
             {{"probe", name},
              {"limit", whole(*limit)},
              {"low", whole(start->whole.low)},
              {"high", whole(start->whole.high)}}};
  mark(d, probe->span,
       {kLabel,
        {{"delay", whole(probe->initial_delay_s.value())},
         {"failures", probe->failures.value()},
         {"period", whole(probe->period_s.value())}}});
  say_time(*start, d);
  d.because = kBecause;
  d.otherwise = probe->kind == HealthProbe::Kind::Health ? kUnhealthy : kKilled;
  const Argument times("times", whole(std::ceil(start->whole.high / kPeriod)));
  if (probe->kind == HealthProbe::Kind::Health) {
    d.no_fix = {kRaiseHealth,
                {{"seconds", whole(std::ceil(start->whole.high / kPeriod) * kPeriod)}}};
  } else {
    d.no_fix = {probe->kind == HealthProbe::Kind::Startup ? kRaise : kGiveStartup, {times}};
  }
  d.subject = name;
  return {complaint};
}

}  // namespace

extern const Rule probe_too_early{
    .code = "SX8105",
    .name = "probe-too-early",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
