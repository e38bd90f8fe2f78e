// SX9109. The long explanation and the scenes are in remote_code_unpinned.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"code of {model} runs in whatever state the repository is at the next start",
                      "{model} 仓库里的代码会以下次启动时的最新状态运行"};
constexpr Text kLabel{"allows it", "允许运行"};
constexpr Text kBecause{
    "without a revision the newest state of the repository is fetched, code included",
    "不指定版本时，取仓库的最新状态，代码也在内"};
constexpr Text kOtherwise{
    "a change in the repository changes what runs on this machine, with the server's rights, "
    "without a word",
    "仓库一改动，本机运行的代码就跟着变，以服务的权限运行，且没有任何提示"};
constexpr Text kPin{
    "read the code once and hold on to that state: {flag} COMMIT, the commit's name on the page of "
    "the repository",
    "把代码读一遍，然后固定在这个状态：{flag} COMMIT（仓库页面上的提交号）"};

bool allowed(const Case& c) {
  const auto& flag = c.serve.trust_remote_code;
  return flag.asked() && flag.value() && c.serve.model.known();
}

bool on_the_hub(const Case& c) {
  const std::string& model = c.serve.model.value();
  const bool path = model.starts_with('/') || model.starts_with('.') || model.starts_with('~');
  return !path && c.model().from != ModelFrom::Directory;
}

std::vector<Complaint> check(const Case& c) {
  const auto& flag = c.serve.trust_remote_code;
  if (!allowed(c) || !on_the_hub(c)) return {};
  // Where the engine has the class itself, leaving the flag out is the better answer.
  if (!c.model().needs_remote_code.value_or(false)) return {};
  if (c.serve.use_of("--revision") != nullptr || c.serve.use_of("--code-revision") != nullptr)
    return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"model", c.serve.model.value()}}};
  mark(d, flag, kLabel);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.no_fix = {kPin, {{"flag", c.serve.engine == "vllm" ? "--code-revision" : "--revision"}}};
  d.subject = "--trust-remote-code";
  return {complaint};
}

std::vector<Need> open(const Case& c) {
  if (!allowed(c) || c.model().needs_remote_code.known() || c.serve.use_of("--revision") ||
      c.serve.use_of("--code-revision"))
    return {};
  return {Need::ModelConfig};
}

}  // namespace

extern const Rule remote_code_unpinned{
    .code = "SX9109",
    .name = "remote-code-unpinned",
    .severity = Severity::Advice,
    .engines = kOfTorchEngines,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
