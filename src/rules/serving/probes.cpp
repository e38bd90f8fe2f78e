// Kubernetes kills or hides, docker and compose only mark.
#include "rules/serving/probes.h"

#include <algorithm>
#include <cmath>

#include "rules/serving/side_by_side.h"

namespace sx::rules {
namespace {

constexpr Text kKilled{
    "the kubelet kills the container after {limit} s or sooner, though the server works, and again "
    "after each restart: CrashLoopBackOff",
    "服务本身正常，但 kubelet 最迟 {limit} 秒后杀掉容器，每次重启后又是如此：CrashLoopBackOff"};
constexpr Text kKilledSometime{
    "the kubelet kills the container though the server works, and again after each restart: "
    "CrashLoopBackOff",
    "服务本身正常，但 kubelet 会杀掉容器，每次重启后又是如此：CrashLoopBackOff"};
constexpr Text kNotReady{
    "the pod never becomes ready: no Service sends it a request, and a rollout never ends",
    "Pod 始终不会就绪：Service 不会把请求发给它，滚动更新也不会结束"};
constexpr Text kUnhealthy{
    "the container counts as unhealthy though the server works: services that wait for "
    "service_healthy do not start",
    "服务本身正常，容器却被标为 unhealthy：等待 service_healthy 的服务不会启动"};

}  // namespace

std::string_view probe_name(HealthProbe::Kind kind) {
  switch (kind) {
    case HealthProbe::Kind::Startup:
      return "startupProbe";
    case HealthProbe::Kind::Liveness:
      return "livenessProbe";
    case HealthProbe::Kind::Readiness:
      return "readinessProbe";
    case HealthProbe::Kind::Health:
      break;
  }
  return "healthcheck";
}

Message unanswered(const HealthProbe& probe) {
  if (probe.kind == HealthProbe::Kind::Health) return kUnhealthy;
  if (probe.kind == HealthProbe::Kind::Readiness) return kNotReady;
  if (!probe.initial_delay_s || !probe.period_s || !probe.failures) return kKilledSometime;
  const double limit =
      probe.initial_delay_s.value() + probe.period_s.value() * probe.failures.value();
  return {kKilled, {{"limit", std::int64_t{std::llround(limit)}}}};
}

Severity severity_of_failure(HealthProbe::Kind kind) {
  return kind == HealthProbe::Kind::Health ? Severity::Warning : Severity::Error;
}

Span place_of_question(const HealthProbe& probe) {
  return probe.port_span.source >= 0 ? probe.port_span : probe.span;
}

bool listens_on_port(const Case& c) {
  if (!c.serve.port.known() || c.serve.port.value() <= 0) return false;
  if (c.serve.host.known() && c.serve.host.value().starts_with("unix:")) return false;
  return c.serve.use_of("--headless") == nullptr;
}

bool others_may_answer(const Case& c, int port) {
  if (c.around.joined || c.around.beside > 0 || in_background(c.command)) return true;
  if (c.all_launches == nullptr) return false;
  return std::ranges::any_of(*c.all_launches, [&](const Case& other) {
    if (other.launch == c.launch || other.around.name != c.around.name) return false;
    return !other.serve.port.known() || other.serve.port.value() == port;
  });
}

}  // namespace sx::rules
