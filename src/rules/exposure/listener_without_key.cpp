// SX9101. The long explanation and the scenes are in listener_without_key.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "rules/serving/published.h"

namespace sx::rules {
namespace {

constexpr Text kEverywhere{
    "port {port} is open to everyone who reaches this machine, and asks for no key",
    "能访问这台机器的人都可以使用端口 {port}，无需密钥"};
constexpr Text kAddress{"{address}:{port} is open to everyone who reaches it, and asks for no key",
                        "能访问 {address}:{port} 的人都可以使用，无需密钥"};
constexpr Text kLabel{"more than this machine", "不限于本机"};
constexpr Text kHostNetwork{"the host's own network", "主机自己的网络"};
constexpr Text kBecause{
    "neither --api-key nor VLLM_API_KEY is set; a key would guard the /v1 paths, not /metrics or "
    "/invocations",
    "没有设置 --api-key 或 VLLM_API_KEY；而且密钥只保护 /v1 路径，不保护 /metrics 和 /invocations"};
constexpr Text kOtherwise{"whoever reaches the port can use the GPUs and read the metrics",
                          "能访问端口的人都可以占用 GPU、读取指标"};
constexpr OfEngine kBecauseOf[] = {
    {"sglang",
     {"no --api-key is set; a key would guard all paths but /health, /ready and /metrics",
      "没有设置 --api-key；设置后除 /health、/ready 和 /metrics 以外的路径都受保护"}},
    {"llamacpp",
     {"neither --api-key, --api-key-file nor LLAMA_API_KEY is set; a key would guard all paths but "
      "/health",
      "没有设置 --api-key、--api-key-file 或 LLAMA_API_KEY；设置后除 /health 以外的路径都受保护"}}};
constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"whoever reaches the port can use the GPUs, replace the weights and read the metrics",
      "能访问端口的人都可以占用 GPU、替换权重、读取指标"}},
    {"llamacpp",
     {"whoever reaches the port can use the model and the machine's time",
      "能访问端口的人都可以使用模型、占用这台机器"}}};
constexpr Text kLocal{
    "listen on this machine alone; programs elsewhere then need a gateway or tunnel",
    "只在本机监听；其他机器要经过网关或隧道访问"};

constexpr Text kPublishThere{
    "publish the container's port on 127.0.0.1 of the host (-p 127.0.0.1:{port}:{port}); 127.0.0.1 "
    "inside would cut the port off",
    "发布容器端口时只绑定主机的 127.0.0.1（-p 127.0.0.1:{port}:{port}）；在容器里监听 127.0.0.1 "
    "会让端口无法访问"};
constexpr Text kPublishLocal{
    "publish it on this machine alone; programs elsewhere then need a gateway or tunnel",
    "只在本机发布；其他机器要经过网关或隧道访问"};

// Of a container with a network of its own only what is published can be reached, and there the
// address of the host counts.
std::vector<Complaint> of_container(const Case& c) {
  const PublishedPort* port = published(c, c.serve.port.value());
  if (port == nullptr || port->host == 0 || is_local(port->address)) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument number("port", port->host);
  const bool everywhere =
      port->address.empty() || port->address == "0.0.0.0" || port->address == "::";
  d.title = everywhere ? Message{kEverywhere, {number}}
                       : Message{kAddress, {number, {"address", port->address}}};
  mark(d, port->span, everywhere ? Message{kLabel} : Message{});
  d.because = of_engine(c.serve, kBecauseOf, kBecause);
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = "--host";
  if (auto changes = publish_instead(c, *port, "127.0.0.1", port->host, port->inside);
      !changes.empty()) {
    complaint.proposals.push_back(
        {.title = kPublishLocal, .changes = std::move(changes), .safety = Safety::Trades});
  }
  return {complaint};
}

// Somebody chose to be reached from outside: by an address, or by the network of the host.
bool on_purpose(const Case& c) {
  const bool of_host =
      c.around.contained() && c.around.host_network.known() && c.around.host_network.value();
  return c.serve.host.asked() || of_host;
}

// The launch is checked from inside of a container: what is published is not seen from there.
bool inside_container(const Case& c) {
  return !c.around.contained() && c.machine().from == HostFrom::Live &&
         c.machine().container.value_or(false);
}

Complaint of_machine(const Case& c) {
  const ServeSpec& serve = c.serve;
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const std::string& host = serve.host.value();
  const bool everywhere = host == "0.0.0.0" || host == "::" || host.empty();
  const Argument port("port", serve.port.value());
  d.title =
      everywhere ? Message{kEverywhere, {port}} : Message{kAddress, {port, {"address", host}}};
  mark(d, serve.host, everywhere ? Message{kLabel} : Message{});
  if (d.labels.empty()) mark(d, c.around.host_network, kHostNetwork);
  d.because = of_engine(serve, kBecauseOf, kBecause);
  d.otherwise = of_engine(serve, kOtherwiseOf, kOtherwise);
  d.subject = "--host";
  if (inside_container(c)) {
    d.no_fix = {kPublishThere, {port}};
  } else {
    complaint.proposals.push_back(
        {.title = kLocal, .changes = {set_flag("--host", "127.0.0.1")}, .safety = Safety::Trades});
  }
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (!serve.host.known() || !serve.has_api_key.known() || serve.has_api_key.value() ||
      is_local(serve.host.value()))
    return {};
  // What a container that runs already publishes is not told.
  if (!serve.port.known() || c.around.joined) return {};
  if (own_network(c)) return of_container(c);
  if (!on_purpose(c)) return {};
  return {of_machine(c)};
}

}  // namespace

extern const Rule listener_without_key{
    .code = "SX9101",
    .name = "listener-without-key",
    .severity = Severity::Advice,
    .check = check,
};

}  // namespace sx::rules
