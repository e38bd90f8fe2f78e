// SX9105. The long explanation and the scenes are in development_endpoints.md.
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/launch_variables.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/serving/published.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "VLLM_SERVER_DEV_MODE opens paths for development on port {port}, without a key",
    "VLLM_SERVER_DEV_MODE 在端口 {port} 上开放开发用的路径，且不校验密钥"};
constexpr Text kLabel{"development mode", "开发模式"};
constexpr Text kReached{"reached from outside", "外部可访问"};
constexpr Text kBecause{
    "/collective_rpc, /sleep, /reset_prefix_cache, /server_info and the paths that replace weights "
    "are asked for no key, whatever --api-key says",
    "/collective_rpc、/sleep、/reset_prefix_cache、/server_info 以及替换权重的路径都不校验密钥，"
    "与 --api-key 无关"};
constexpr Text kOtherwise{
    "whoever reaches the port can put the server to sleep, call methods of its workers and read "
    "its "
    "settings",
    "能访问端口的人可以让服务休眠、调用它的 worker 方法、读取它的配置"};
constexpr Text kLeaveOut{"leave development mode out; sleep and wake-up then cannot be asked for",
                         "去掉开发模式；之后无法再请求休眠和唤醒"};
constexpr Text kLocal{
    "keep it and listen on this machine alone; programs elsewhere then need a gateway or tunnel",
    "保留它，但只在本机监听；其他机器要经过网关或隧道访问"};

// vLLM reads the number of it: 0 and an empty text are off.
bool on(const std::string& value) {
  const std::string_view text = trimmed(value);
  return !text.empty() && text != "0";
}

std::vector<Complaint> check(const Case& c) {
  const auto mode = launch_variable(c, "VLLM_SERVER_DEV_MODE");
  if (!mode || !on(mode->value) || !c.serve.host.known() || !c.serve.port.known()) return {};
  if (is_local(c.serve.host.value())) return {};
  const PublishedPort* entry = published(c, c.serve.port.value());
  if (own_network(c) && (entry == nullptr || is_local(entry->address))) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"port", own_network(c) ? entry->host : c.serve.port.value()}}};
  if (mode->span) mark(d, *mode->span, kLabel);
  if (c.serve.host.asked()) mark(d, c.serve.host, kReached);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "VLLM_SERVER_DEV_MODE";
  if (mode->span)
    complaint.proposals.push_back({.title = kLeaveOut,
                                   .changes = {remove_environment("VLLM_SERVER_DEV_MODE")},
                                   .safety = Safety::Trades});
  if (!own_network(c) && !c.around.joined)
    complaint.proposals.push_back(
        {.title = kLocal, .changes = {set_flag("--host", "127.0.0.1")}, .safety = Safety::Trades});
  return {complaint};
}

}  // namespace

extern const Rule development_endpoints{
    .code = "SX9105",
    .name = "development-endpoints",
    .severity = Severity::Warning,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
