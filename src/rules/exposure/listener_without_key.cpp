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
constexpr Text kDefault{"without --host the server listens on every address",
                        "没有 --host 时监听所有地址"};
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

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (!serve.host.known() || !serve.has_api_key.known() || serve.has_api_key.value() ||
      is_local(serve.host.value()))
    return {};
  if (!serve.port.known()) return {};
  if (own_network(c)) return of_container(c);

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const std::string& host = serve.host.value();
  const bool everywhere = host == "0.0.0.0" || host == "::" || host.empty();
  const Argument port("port", serve.port.value());
  d.title =
      everywhere ? Message{kEverywhere, {port}} : Message{kAddress, {port, {"address", host}}};
  mark(d, serve.host, everywhere ? Message{kLabel} : Message{});
  if (d.labels.empty()) d.basis.push_back(kDefault);
  d.because = of_engine(serve, kBecauseOf, kBecause);
  d.otherwise = of_engine(serve, kOtherwiseOf, kOtherwise);
  d.subject = "--host";
  complaint.proposals.push_back(
      {.title = kLocal, .changes = {set_flag("--host", "127.0.0.1")}, .safety = Safety::Trades});
  return {complaint};
}

}  // namespace

extern const Rule listener_without_key{
    .code = "SX9101",
    .name = "listener-without-key",
    .severity = Severity::Advice,
    .check = check,
};

}  // namespace sx::rules
