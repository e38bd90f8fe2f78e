// SX8114. The long explanation and the scenes are in probe_port_mismatch.md.
#include <algorithm>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "rules/serving/probes.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{probe} asks port {asked}; the server listens on {port}",
                      "{probe} 访问端口 {asked}，而服务监听 {port}"};
constexpr Text kAsked{"nobody answers on {asked}", "端口 {asked} 没有服务应答"};
constexpr Text kListens{"listens here", "监听这里"};
constexpr Text kDefault{"port {port}: the engine's default, as the command names none",
                        "端口 {port}：命令没有指定，取引擎默认值"};
constexpr Text kBecause{
    "a probe asks a port of the container itself; where nobody listens the connection is refused, "
    "and that counts as a failure",
    "探针访问的是容器自己的端口；没有程序监听时连接被拒绝，算一次失败"};
constexpr Text kListen{"listen on port {asked}, which the probe asks",
                       "在探针访问的端口 {asked} 上监听"};
constexpr Text kAskOther{"let the {probe} ask port {port}", "把 {probe} 的端口改为 {port}"};

// The order in which they hurt.
int rank(HealthProbe::Kind kind) {
  switch (kind) {
    case HealthProbe::Kind::Startup:
      return 0;
    case HealthProbe::Kind::Liveness:
      return 1;
    case HealthProbe::Kind::Readiness:
      return 2;
    case HealthProbe::Kind::Health:
      break;
  }
  return 3;
}

// Probes that ask a port on which nobody listens, the worst first.
std::vector<const HealthProbe*> wrong_probes(const Case& c, int port) {
  std::vector<const HealthProbe*> wrong;
  for (const HealthProbe& probe : c.around.probes) {
    if (probe.port > 0 && probe.port != port && !others_may_answer(c, probe.port))
      wrong.push_back(&probe);
  }
  std::ranges::sort(wrong, {}, [](const HealthProbe* probe) { return rank(probe->kind); });
  return wrong;
}

std::vector<Complaint> check(const Case& c) {
  if (!c.around.contained() || !listens_on_port(c)) return {};
  const int port = c.serve.port.value();
  const auto wrong = wrong_probes(c, port);
  if (wrong.empty()) return {};
  const HealthProbe& probe = *wrong.front();

  Complaint complaint;
  complaint.severity = severity_of_failure(probe.kind);
  Diagnostic& d = complaint.diagnostic;
  const Argument name("probe", probe_name(probe.kind)), asked("asked", probe.port);
  d.title = {kTitle, {name, asked, {"port", port}}};
  mark(d, place_of_question(probe), {kAsked, {asked}});
  also(d, c.serve.port, kListens, {kDefault, {{"port", port}}});
  for (const HealthProbe* other : wrong) {
    if (other == &probe || d.labels.size() >= 3) continue;
    mark(d, place_of_question(*other), {kAsked, {{"asked", other->port}}});
  }
  d.because = kBecause;
  d.otherwise = unanswered(probe);
  d.subject = std::string(probe_name(probe.kind));
  d.no_fix = {kAskOther, {name, {"port", port}}};
  complaint.proposals.push_back(
      {.title = {kListen, {asked}}, .changes = {set_flag("--port", std::to_string(probe.port))}});
  return {complaint};
}

}  // namespace

extern const Rule probe_port_mismatch{
    .code = "SX8114",
    .name = "probe-port-mismatch",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
