// SX9103. The long explanation and the scenes are in key_in_arguments.md.
#include <array>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

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

struct Secret {
  std::string_view flag;
  std::string_view variable;  // read in its place when the flag is absent
};
constexpr std::array<Secret, 2> kSecrets{
    {{"--api-key", "VLLM_API_KEY"}, {"--hf-token", "HF_TOKEN"}}};

bool holds_value(const FlagUse* use) {
  return use != nullptr && !use->spliced && !use->values.empty() && !use->values.front().empty();
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const auto& [flag, variable] : kSecrets) {
    const FlagUse* use = c.serve.use_of(flag);
    if (!holds_value(use)) continue;
    Complaint& complaint = complaints.emplace_back();
    Diagnostic& d = complaint.diagnostic;
    d.title = {kTitle, {{"flag", flag}}};
    mark(d, use->name_span, kLabel);
    d.because = kBecause;
    d.otherwise = kLogs;
    d.subject = flag;
    // No command is proposed: it would hold the secret again, or open the server.
    d.no_fix = {kInstead, {{"flag", flag}, {"variable", variable}}};
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
