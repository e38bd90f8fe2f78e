// SX9103. The long explanation and the scenes are in key_in_arguments.md.
#include <array>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/flags.h"
#include "knowledge/foreign_flags.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"the value of {flag} can be read by every user of the machine",
                      "机器上的所有用户都能看到 {flag} 的值"};
constexpr Text kLabel{"a secret in the command", "命令里的密钥"};
constexpr Text kBecause{
    "the arguments of a running program are open to all: ps, /proc, the journal of the service, "
    "the shell's history",
    "运行中程序的参数对所有人可见：ps、/proc、服务日志、shell 历史"};
constexpr Text kLogs{
    "the secret is kept in several places, and older versions of the engine write it into their "
    "log as well",
    "密钥会留在好几处，较旧的引擎版本还会写进日志"};
constexpr Text kInstead{
    "set {variable} in the environment of the server, from a file that only it can read, and leave "
    "{flag} out",
    "在服务的环境里设置 {variable}，取自只有它能读的文件，并去掉 {flag}"};

constexpr OfEngine kLogsOf[] = {
    {"sglang",
     {"the secret is kept in several places, and the engine writes it into the first lines of its "
      "log as well",
      "密钥会留在好几处，引擎还会把它写进日志开头"}},
    {"llamacpp", {"the secret is kept in several places", "密钥会留在好几处"}}};
constexpr Text kInFile{
    "keep it in a file for --config that only the server can read, and leave {flag} out",
    "写进只有服务能读的文件，用 --config 指定，并去掉 {flag}"};
constexpr Text kGateway{
    "put a gateway in front that asks for the key, and let the server listen on this machine alone",
    "在前面放一个校验密钥的网关，服务只在本机监听"};

struct Secret {
  std::string_view flag;
  std::string_view variable;  // read in its place when the flag is absent; empty: none is
};
constexpr std::array<Secret, 3> kSecrets{
    {{"--api-key", "VLLM_API_KEY"}, {"--admin-api-key", ""}, {"--hf-token", "HF_TOKEN"}}};

// How this engine takes a secret otherwise. Variables of the hub's library are no engine's own.
Message instead(const ServeSpec& serve, const Secret& secret, const std::string& flag) {
  const std::string variable = secret.variable.starts_with("HF_")
                                   ? std::string(secret.variable)
                                   : own_name(serve.engine, secret.variable);
  if (!variable.empty()) return {kInstead, {{"flag", flag}, {"variable", variable}}};
  const EngineFlags* flags = engine_flags(serve.engine);
  const FlagRow* row = flags == nullptr ? nullptr : flags->find("--config");
  const bool from_file = row != nullptr && flags->standing(*row, serve.version) == Standing::Known;
  return from_file ? Message{kInFile, {{"flag", flag}}} : Message{kGateway};
}

bool holds_value(const FlagUse* use) {
  return use != nullptr && !use->spliced && !use->values.empty() && !use->values.front().empty();
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const Secret& secret : kSecrets) {
    const FlagUse* use = c.serve.use_of(secret.flag);
    if (!holds_value(use)) continue;
    Complaint& complaint = complaints.emplace_back();
    Diagnostic& d = complaint.diagnostic;
    const std::string flag = own_flag(c.serve, secret.flag);
    d.title = {kTitle, {{"flag", flag}}};
    mark(d, use->name_span, kLabel);
    d.because = kBecause;
    d.otherwise = of_engine(c.serve, kLogsOf, kLogs);
    d.subject = secret.flag;
    // No command is proposed: it would hold the secret again, or open the server.
    d.no_fix = instead(c.serve, secret, flag);
  }
  return complaints;
}

}  // namespace

extern const Rule key_in_arguments{
    .code = "SX9103",
    .name = "key-in-arguments",
    .severity = Severity::Advice,
    .check = check,
};

}  // namespace sx::rules
