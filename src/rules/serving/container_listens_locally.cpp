// SX8104. The long explanation and the scenes are in container_listens_locally.md.
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "rules/serving/published.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"port {port} is published, and the server listens on {host} of the container",
                      "端口 {port} 已发布，但服务只监听容器内的 {host}"};
constexpr Text kLabel{"reached from inside the container only", "只有容器内部能访问"};
constexpr Text kPublished{"leads to the container's outer address", "通向容器对外的地址"};
constexpr Text kDefault{"without --host {engine} listens on {host}",
                        "没有 --host 时，{engine} 监听 {host}"};
constexpr Text kBecause{
    "127.0.0.1 inside a container is the container itself; published ports arrive at its other "
    "address",
    "容器内的 127.0.0.1 指容器自己；发布的端口到达的是它的另一个地址"};
constexpr Text kOtherwise{"it starts and works inside; from outside every connection is reset",
                          "服务能启动，在容器内正常；从外面连接会被重置"};
constexpr Text kListen{
    "listen on every address of the container; what reaches it is decided by the published port",
    "监听容器的所有地址；谁能访问由发布的端口决定"};

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (!own_network(c) || !serve.host.known() || !serve.port.known()) return {};
  if (serve.host.value().starts_with("unix:") || !is_local(serve.host.value())) return {};
  const PublishedPort* port = published(c, serve.port.value());
  if (port == nullptr) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"port", serve.port.value()}, {"host", serve.host.value()}}};
  mark(d, serve.host, kLabel);
  if (d.labels.empty()) {
    mark(d, port->span, kPublished);
    d.basis.push_back({kDefault, {{"engine", engine_name(serve)}, {"host", serve.host.value()}}});
  } else {
    d.labels.push_back({port->span, kPublished, false});
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--host";
  complaint.proposals.push_back({.title = kListen, .changes = {set_flag("--host", "0.0.0.0")}});
  return {complaint};
}

}  // namespace

extern const Rule container_listens_locally{
    .code = "SX8104",
    .name = "container-listens-locally",
    .severity = Severity::Warning,
    .check = check,
};

}  // namespace sx::rules
