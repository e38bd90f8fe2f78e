// SX8103. The long explanation and the scenes are in published_port_mismatch.md.
#include <algorithm>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "facts/container_changes.h"
#include "rules/serving/probes.h"
#include "rules/serving/published.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "port {published} of the container is published, the server listens on {port}",
    "发布的是容器的端口 {published}，而服务监听 {port}"};
constexpr Text kServiceTitle{
    "Service {service} sends its requests to port {asked}, the server listens on {port}",
    "Service {service} 把请求发到端口 {asked}，而服务监听 {port}"};
constexpr Text kForwarded{"sent to {asked}", "发到 {asked}"};
constexpr Text kServiceBecause{
    "a Service hands each connection on to its targetPort of the pod; what listens there must be "
    "the server",
    "Service 把每个连接转给 Pod 的 targetPort；在那里监听的应当是服务本身"};
constexpr Text kServiceOtherwise{
    "it starts and becomes ready; through the Service every connection is refused",
    "服务能启动并就绪；经 Service 的连接全部被拒绝"};
constexpr Text kPublished{"published: {published}", "发布：{published}"};
constexpr Text kListens{"listens here", "监听这里"};
constexpr Text kDefault{"port {port}: the engine's default, as the command names none",
                        "端口 {port}：命令没有指定，取引擎默认值"};
constexpr Text kBecause{
    "the number behind the colon is the port inside the container; what listens there must be the "
    "server",
    "冒号后面的数字是容器内的端口；在那里监听的应当是服务本身"};
constexpr Text kOtherwise{
    "it starts and works inside; from outside every connection is reset or refused",
    "服务能启动，在容器内正常；从外面连接会被重置或拒绝"};
constexpr Text kPublish{"publish the port on which it listens", "发布它实际监听的端口"};
constexpr Text kListen{"listen on port {port} inside", "在容器内监听端口 {port}"};

// Several targets may be for several things; one of them is enough.
std::vector<Complaint> of_service(const Case& c, int port) {
  for (const ForwardedPort& to : c.around.forwarded) {
    if (to.inside == port) return {};
  }
  const ForwardedPort& to = c.around.forwarded.front();
  if (others_may_answer(c, to.inside)) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument asked("asked", to.inside);
  d.title = {kServiceTitle, {{"service", to.service}, asked, {"port", port}}};
  mark(d, to.span, {kForwarded, {asked}});
  also(d, c.serve.port, kListens, {kDefault, {{"port", port}}});
  d.because = kServiceBecause;
  d.otherwise = kServiceOtherwise;
  d.subject = "targetPort";
  complaint.proposals.push_back({.title = {kListen, {{"port", to.inside}}},
                                 .changes = {set_flag("--port", std::to_string(to.inside))}});
  return {complaint};
}

std::vector<Complaint> check(const Case& c) {
  if (!c.around.forwarded.empty() && listens_on_port(c)) return of_service(c, c.serve.port.value());
  if (!own_network(c) || c.around.ports.empty() || !c.serve.port.known()) return {};
  if (c.serve.host.known() && c.serve.host.value().starts_with("unix:")) return {};
  const int port = c.serve.port.value();
  if (published(c, port) != nullptr) return {};
  const PublishedPort& other = c.around.ports.front();

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"published", other.inside}, {"port", port}}};
  mark(d, other.span, {kPublished, {{"published", other.inside}}});
  also(d, c.serve.port, kListens, {kDefault, {{"port", port}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--publish";
  if (auto changes = publish_instead(c, other, other.address, other.host, port); !changes.empty())
    complaint.proposals.push_back({.title = kPublish, .changes = std::move(changes)});
  complaint.proposals.push_back({.title = {kListen, {{"port", other.inside}}},
                                 .changes = {set_flag("--port", std::to_string(other.inside))}});
  return {complaint};
}

}  // namespace

extern const Rule published_port_mismatch{
    .code = "SX8103",
    .name = "published-port-mismatch",
    .severity = Severity::Warning,
    .check = check,
};

}  // namespace sx::rules
