// SX9104. The long explanation and the scenes are in root_on_host_network.md.
#include <string>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "facts/container_changes.h"
#include "knowledge/images.h"
#include "rules/serving/published.h"

namespace sx::rules {
namespace {

constexpr std::string_view kCovered[] = {"SX9101"};
constexpr Text kTitle{
    "root in the container serves port {port} of the host to everyone, and asks for no key",
    "容器以 root 运行，在主机网络上向所有人开放端口 {port}，无需密钥"};
constexpr Text kNetwork{"the host's own network", "主机自己的网络"};
constexpr Text kPrivileged{"and all of its devices", "以及主机的全部设备"};
constexpr Text kRoot{"user: root, as the image has it", "用户：root，由镜像决定"};
constexpr Text kBecause{
    "on the host's network nothing stands between the port and its callers, and a fault in the "
    "server is a fault of root",
    "使用主机网络时，端口和调用者之间没有任何隔离；服务里的漏洞就是 root 的漏洞"};
constexpr Text kOtherwise{
    "whoever reaches the port can use the GPUs, and needs one flaw of the engine to become root in "
    "the container",
    "能访问端口的人都可以占用 GPU；引擎只要有一个漏洞，对方就成为容器里的 root"};
constexpr Text kLocal{
    "listen on this machine alone; programs elsewhere then need a gateway or tunnel",
    "只在本机监听；其他机器要经过网关或隧道访问"};

bool is_root(std::string_view user) {
  const std::string_view name = user.substr(0, user.find(':'));
  return name == "root" || name == "0";
}

bool runs_as_root(const Case& c) {
  if (c.around.user.known()) return is_root(c.around.user.value());
  if (!c.around.image.known() || !c.around.user.why_unknown().empty()) return false;
  const auto image = known_image(c.around.image.value());
  return image && is_root(image->user);
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  const bool on_host = c.around.contained() && !c.around.joined && c.around.host_network.known() &&
                       c.around.host_network.value();
  if (!on_host || !runs_as_root(c)) return {};
  if (!serve.host.known() || is_local(serve.host.value()) || !serve.port.known()) return {};
  if (!serve.has_api_key.known() || serve.has_api_key.value()) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"port", serve.port.value()}}};
  mark(d, c.around.host_network, kNetwork);
  if (c.around.privileged.known() && c.around.privileged.value())
    mark(d, c.around.privileged, kPrivileged);
  if (c.around.user.known()) {
    mark(d, c.around.user, {});
  } else {
    d.basis.push_back(kRoot);
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--host";
  complaint.proposals.push_back(
      {.title = kLocal, .changes = {set_flag("--host", "127.0.0.1")}, .safety = Safety::Trades});
  return {complaint};
}

}  // namespace

extern const Rule root_on_host_network{
    .code = "SX9104",
    .name = "root-on-host-network",
    .severity = Severity::Advice,
    .covers = kCovered,
    .check = check,
};

}  // namespace sx::rules
