// SX8106. The long explanation and the scenes are in start_timeout_too_short.md.
#include <cmath>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kNeverReported{"systemd waits {limit} s for a message that the engine never sends",
                              "systemd 等就绪通知等 {limit} 秒，而引擎不会发出"};
constexpr Text kEnded{"systemd ends the engine {limit} s after its start",
                      "systemd 会在启动 {limit} 秒后结束引擎"};
constexpr Text kLimit{"{limit} s, then it is killed", "{limit} 秒后被杀掉"};
constexpr Text kStandard{"{limit} s unless TimeoutStartSec says otherwise",
                         "未写 TimeoutStartSec 时为 {limit} 秒"};
constexpr Text kNotify{
    "with Type={type} a start counts as done once the program reports READY=1, which no engine "
    "does",
    "Type={type} 时，程序报告 READY=1 才算启动完成，而引擎都不会报告"};
constexpr Text kForking{
    "with Type=forking a start counts as done once the first process ends; an engine stays",
    "Type=forking 时，首个进程退出才算启动完成，而引擎进程不退出"};
constexpr Text kDbus{
    "with Type=dbus a start counts as done once a bus name is taken; no engine does",
    "Type=dbus 时，占用总线名称才算启动完成，而引擎不会占用"};
constexpr Text kOneshot{
    "with Type=oneshot a start counts as done once the program has ended; an engine does not end",
    "Type=oneshot 时，程序运行结束才算启动完成，而引擎不会结束"};
constexpr Text kOtherwise{
    "\"start operation timed out. Terminating.\": it is stopped while it loads or already serves",
    "“start operation timed out. Terminating.”：引擎在加载途中或已经服务时被停掉"};
constexpr Text kNoFix{
    "the command cannot change it: set Type=exec in [Service]; a start then counts as done once "
    "the "
    "program runs, and TimeoutStartSec no longer matters",
    "改命令没有用：在 [Service] 里设 Type=exec；程序运行起来就算启动完成，TimeoutStartSec "
    "不再起作用"};

Message because(const std::string& type) {
  if (type == "forking") return {kForking};
  if (type == "dbus") return {kDbus};
  if (type == "oneshot") return {kOneshot};
  return {kNotify, {{"type", type}}};
}

// A wrapper may report in the engine's place.
bool reported_by_script(const Case& c) {
  if (c.command.source < 0) return false;
  const std::string& text = c.sources->at(c.command.source).text;
  return text.contains("systemd-notify") || text.contains("sd_notify");
}

std::vector<Complaint> check(const Case& c) {
  const Fact<double>& limit = c.around.start_timeout_s;
  if (c.around.kind != Surroundings::Kind::Systemd || !limit.known()) return {};
  if (reported_by_script(c)) return {};
  const std::string& type = c.around.workload;

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument seconds("limit", static_cast<std::int64_t>(std::llround(limit.value())));
  d.title = {type == "oneshot" ? kEnded : kNeverReported, {seconds}};
  mark(d, limit, {limit.origin() == Origin::Default ? kStandard : kLimit, {seconds}});
  d.because = because(type);
  d.otherwise = kOtherwise;
  d.no_fix = kNoFix;
  d.subject = "TimeoutStartSec";
  return {complaint};
}

}  // namespace

extern const Rule start_timeout_too_short{
    .code = "SX8106",
    .name = "start-timeout-too-short",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
