// SX1139. The long explanation and the scenes are in demo_server_removed.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr std::string_view kOfDemo[] = {"vllm-demo"};
constexpr std::string_view kModule = "vllm.entrypoints.api_server";
constexpr std::string_view kScriptEnd = "vllm/entrypoints/api_server.py";
constexpr std::string_view kServer = "vllm.entrypoints.openai.api_server";
constexpr std::string_view kServerScript = "vllm/entrypoints/openai/api_server.py";

constexpr Text kTitle{"vllm.entrypoints.api_server is vLLM's old demo server, not its API server",
                      "vllm.entrypoints.api_server 是 vLLM 早期的演示服务，不是它的 API 服务"};
constexpr Text kDemo{"answers /generate and /health only", "只响应 /generate 和 /health"};
constexpr Text kBecause{
    "the module was kept for demonstration only; clients, metrics and every newer feature are "
    "served by vllm serve",
    "这个模块只为演示而保留；客户端接口、指标和所有新功能都由 vllm serve 提供"};
constexpr Text kOtherwise{
    "where the module is still there it starts, and requests to /v1/… get 404; where it is gone: "
    "\"No module named vllm.entrypoints.api_server\"",
    "模块还在的版本能启动，但对 /v1/… 的请求得到 404；模块已删除的版本报“No module named "
    "vllm.entrypoints.api_server”"};
constexpr Text kUse{"start the OpenAI-compatible server; clients of /generate change to /v1/…",
                    "改为启动兼容 OpenAI 的服务；用 /generate 的客户端要改用 /v1/…"};

std::vector<Complaint> check(const Case& c) {
  for (std::size_t i = 0; i < c.command.words.size(); ++i) {
    const Word& word = c.command.words[i];
    const bool module = word.text == kModule;
    if (!module && !word.text.ends_with(kScriptEnd)) continue;
    Complaint complaint;
    Diagnostic& d = complaint.diagnostic;
    d.title = kTitle;
    mark(d, word.span, kDemo);
    d.because = kBecause;
    d.otherwise = kOtherwise;
    d.subject = kModule;
    const std::string folder = word.text.substr(0, word.text.size() - kScriptEnd.size() * !module);
    complaint.proposals.push_back(
        {.title = kUse,
         .changes = {replace_word(
             i, module ? std::string(kServer) : folder + std::string(kServerScript))}});
    return {complaint};
  }
  return {};
}

}  // namespace

extern const Rule demo_server_removed{
    .code = "SX1139",
    .name = "demo-server-removed",
    .severity = Severity::Warning,
    .engines = kOfDemo,
    .check = check,
};

}  // namespace sx::rules
