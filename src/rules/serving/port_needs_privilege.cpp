// SX8117. The long explanation and the scenes are in port_needs_privilege.md.
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"port {port} is for root alone, and the unit runs as {user}",
                      "端口 {port} 只有 root 能监听，而该单元以 {user} 运行"};
constexpr Text kTitleDynamic{
    "port {port} is for root alone, and the unit runs as a user of its own",
    "端口 {port} 只有 root 能监听，而该单元使用动态用户"};
constexpr Text kUser{"no root, and no right to low ports", "不是 root，也没有低端口的权限"};
constexpr Text kBecause{
    "below {first} a port is opened by root or with CAP_NET_BIND_SERVICE, unless the machine's "
    "net.ipv4.ip_unprivileged_port_start says less",
    "{first} 以下的端口要有 root 身份或 CAP_NET_BIND_SERVICE 才能监听，除非机器上的 "
    "net.ipv4.ip_unprivileged_port_start 调低了"};
constexpr Text kOtherwise{
    "it ends before it loads anything: \"[Errno 13] Permission denied\"; with Restart= that goes "
    "round and round",
    "加载任何东西之前就退出：“[Errno 13] Permission denied”；设了 Restart= 时会反复重启"};
constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"it ends when the server begins to listen, which is after the model is loaded: \"Permission "
      "denied\"",
      "开始监听时退出，报 “Permission denied”，此时模型已经加载完"}},
    {"llamacpp",
     {"it ends before it loads the model: \"couldn't bind HTTP server socket\"",
      "加载模型之前就退出：“couldn't bind HTTP server socket”"}}};
constexpr Text kListen{"listen on port {port}; clients have to use it, too",
                       "改用端口 {port}；客户端也要跟着改"};
constexpr Text kAllow{
    "what would keep the port: AmbientCapabilities=CAP_NET_BIND_SERVICE below [Service]",
    "如果要保留这个端口：在 [Service] 中加一行 AmbientCapabilities=CAP_NET_BIND_SERVICE"};

// Linux's own limit (include/net/ip.h: PROT_SOCK).
constexpr int kFirstForAll = 1024;
constexpr int kMoved = 8000;  // 80 becomes 8080, 443 8443: as people do by hand

std::vector<Complaint> check(const Case& c) {
  const Surroundings& around = c.around;
  const Fact<int>& port = c.serve.port;
  if (around.low_ports.value_or(true) || !port.known()) return {};
  if (port.value() <= 0 || port.value() >= kFirstForAll) return {};
  if (c.serve.host.value_or("").starts_with("unix:")) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument number("port", port.value());
  d.title = around.user.known() ? Message{kTitle, {number, {"user", around.user.value()}}}
                                : Message{kTitleDynamic, {number}};
  mark(d, port, {});
  mark(d, around.low_ports, kUser);
  d.because = {kBecause, {{"first", kFirstForAll}}};
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = "--port";
  const int moved = kMoved + port.value();
  complaint.proposals.push_back(
      {{kListen, {{"port", moved}}}, {set_flag("--port", std::to_string(moved))}});
  d.basis.push_back(kAllow);
  return {complaint};
}

}  // namespace

extern const Rule port_needs_privilege{
    .code = "SX8117",
    .name = "port-needs-privilege",
    .severity = Severity::Warning,
    .check = check,
};

}  // namespace sx::rules
