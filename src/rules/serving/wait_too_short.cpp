// SX8111. The long explanation and the scenes are in wait_too_short.md.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "rules/serving/side_by_side.h"
#include "rules/serving/start_time.h"
#include "rules/serving/waiting.h"

namespace sx::rules {
namespace {

constexpr Text kAsked{"the script asks after {limit} s; a start takes {low} to {high} s",
                      "脚本在 {limit} 秒后就访问，而启动需要 {low} 到 {high} 秒"};
constexpr Text kGivesUp{"the script gives up after {limit} s; a start takes {low} to {high} s",
                        "脚本在 {limit} 秒后放弃，而启动需要 {low} 到 {high} 秒"};
constexpr Text kEnded{"timeout ends the server after {limit} s; a start takes {low} to {high} s",
                      "timeout 在 {limit} 秒后结束服务，而启动需要 {low} 到 {high} 秒"};
constexpr Text kFirstQuestion{"first asked here", "这里第一次访问"};
constexpr Text kAgain{"asked here, again and again", "在这里反复访问"};
constexpr Text kStarted{"started here", "在这里启动"};
constexpr Text kBecause{
    "nobody answers on the port, or only with 503, until weights are loaded and graphs captured",
    "权重加载完、CUDA graph 捕获完之前，端口无人应答，或者只返回 503"};
constexpr Text kRefused{
    "\"Connection refused\": the script goes on, or ends, while the server is still loading",
    "“Connection refused”：服务还在加载，脚本就继续往下执行或者退出了"};
constexpr Text kNeverServes{"it is stopped while it loads and never answers a request",
                            "加载途中就被停掉，一个请求也不会应答"};
constexpr Text kWaitForIt{
    "the command cannot change it: wait until it answers, no longer than {seconds} s: timeout "
    "{seconds} bash -c 'until curl -sf localhost:{port}{path}; do sleep 5; done'",
    "改命令没有用：等它应答为止，最多 {seconds} 秒：timeout {seconds} bash -c 'until curl -sf "
    "localhost:{port}{path}; do sleep 5; done'"};
constexpr Text kLonger{
    "leave timeout out, or give it more than {seconds} s on top of the work itself",
    "去掉 timeout，或者在任务本身的时间之外再加 {seconds} 秒以上"};

std::int64_t whole(double seconds) { return std::llround(seconds); }

std::optional<Severity> severity_of(double limit, const TimeBand& start) {
  if (limit < start.low) return Severity::Warning;
  if (limit < start.mid) return Severity::Advice;
  return {};
}

Complaint complaint_of(const Text& title, double limit, const StartTime& start) {
  Complaint complaint;
  complaint.diagnostic.title = {title,
                                {{"limit", whole(limit)},
                                 {"low", whole(start.whole.low)},
                                 {"high", whole(start.whole.high)}}};
  complaint.diagnostic.confidence = Confidence::Computed;
  complaint.diagnostic.because = kBecause;
  complaint.severity = severity_of(limit, start.whole);
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const auto start = start_time_of(c);
  if (!start) return {};
  const Argument seconds("seconds", whole(std::ceil(start->whole.high / 60) * 60));
  if (const auto limit = time_limit(c.command.before); limit && severity_of(*limit, start->whole)) {
    Complaint complaint = complaint_of(kEnded, *limit, *start);
    Diagnostic& d = complaint.diagnostic;
    mark(d, c.command.words.front().span, kStarted);
    d.otherwise = kNeverServes;
    d.no_fix = {kLonger, {seconds}};
    d.subject = "timeout";
    return {complaint};
  }
  if (c.command.source < 0 || !in_background(c.command) || !c.serve.port.known()) return {};
  const int asked_port =
      c.around.ports.empty() ? c.serve.port.value() : c.around.ports.front().host;
  const auto wait = first_question(*c.sources, c.command, asked_port);
  if (!wait || !severity_of(wait->seconds, start->whole)) return {};
  Complaint complaint = complaint_of(wait->again ? kGivesUp : kAsked, wait->seconds, *start);
  Diagnostic& d = complaint.diagnostic;
  mark(d, wait->question, wait->again ? kAgain : kFirstQuestion);
  d.otherwise = kRefused;
  d.no_fix = {kWaitForIt, {seconds, {"port", asked_port}, {"path", "/health"}}};
  d.subject = "sleep";
  return {complaint};
}

}  // namespace

extern const Rule wait_too_short{
    .code = "SX8111",
    .name = "wait-too-short",
    .severity = Severity::Warning,
    .check = check,
};

}  // namespace sx::rules
