// SX8107. The long explanation and the scenes are in replicas_share_host_port.md.
#include <algorithm>
#include <optional>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "rules/serving/listeners.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{replicas} copies, and each takes port {port} of its host",
                      "{replicas} 个副本，每个都占用所在主机的端口 {port}"};
constexpr Text kCopies{"{replicas} copies", "{replicas} 个副本"};
constexpr Text kHostPort{"of the host", "主机端口"};
constexpr Text kBecause{"a port of a host belongs to one container at a time",
                        "主机的一个端口同一时间只能属于一个容器"};
constexpr Text kAllocated{"the first copy starts, the others do not: \"port is already allocated\"",
                          "第一个副本能启动，其余不能：“port is already allocated”"};
constexpr Text kPending{
    "each copy needs a machine of its own; those for which there is none stay Pending: \"didn't "
    "have free ports\"",
    "每个副本都要独占一台机器；机器不够时其余副本一直 Pending：“didn't have free ports”"};
constexpr Text kInCompose{
    "the command cannot change it: publish a range (\"{port}-{last}:{inside}\"), or leave the host "
    "port out and put a proxy in front",
    "改命令没有用：发布一个端口范围（\"{port}-{last}:{inside}"
    "\"），或者不写主机端口，在前面放一个代理"};
constexpr Text kInKubernetes{
    "the command cannot change it: leave hostPort and hostNetwork out and let a Service share the "
    "requests out",
    "改命令没有用：去掉 hostPort 和 hostNetwork，由 Service 分配请求"};

struct HostPort {
  int port = 0, inside = 0;
  std::optional<Span> span;
};

std::optional<HostPort> host_port(const Case& c) {
  for (const PublishedPort& port : c.around.ports) {
    if (port.host > 0) return HostPort{port.host, port.inside, port.span};
  }
  const bool host_network = c.around.host_network.value_or(false);
  const auto own = listener_of(c);
  if (!host_network || !own) return {};
  return HostPort{own->port, own->port, c.around.host_network.span()};
}

// A range of host ports gives each copy one.
bool is_range(const Case& c) {
  return c.around.ports.size() > 1 ||
         std::ranges::any_of(c.around.ports, [&](const PublishedPort& port) {
           return port.span.source >= 0 && c.sources->text(port.span).contains('-');
         });
}

std::vector<Complaint> check(const Case& c) {
  const bool compose = c.around.kind == Surroundings::Kind::Compose;
  if (!compose && c.around.kind != Surroundings::Kind::Kubernetes) return {};
  if (c.around.replicas.value_or(1) < 2) return {};
  const auto taken = host_port(c);
  if (!taken || is_range(c)) return {};
  const int replicas = c.around.replicas.value();

  Complaint complaint;
  complaint.severity = compose ? Severity::Error : Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"replicas", replicas}, {"port", taken->port}}};
  mark(d, c.around.replicas, {kCopies, {{"replicas", replicas}}});
  if (taken->span && d.labels.size() == 1) d.labels.push_back({*taken->span, {kHostPort}, false});
  d.because = kBecause;
  d.otherwise = compose ? kAllocated : kPending;
  d.no_fix = compose ? Message{kInCompose,
                               {{"port", taken->port},
                                {"last", taken->port + replicas - 1},
                                {"inside", taken->inside}}}
                     : Message{kInKubernetes};
  d.subject = "replicas";
  return {complaint};
}

}  // namespace

extern const Rule replicas_share_host_port{
    .code = "SX8107",
    .name = "replicas-share-host-port",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
