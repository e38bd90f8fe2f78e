// SX9102. The long explanation and the scenes are in remote_code_allowed.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/architectures.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "--trust-remote-code is given for {architecture}, a class that the engine has itself",
    "为 {architecture} 加了 --trust-remote-code，而引擎自带这个类"};
constexpr Text kLabel{"lets code of the model's repository run", "允许运行模型仓库里的代码"};
constexpr Text kBasis{"{architecture}: {origin}", "{architecture}：{origin}"};
constexpr Text kBecause{
    "the tokenizer and config of the repository may then bring Python code, which runs with the "
    "server's rights",
    "分词器和配置因此可以带来任意 Python 代码，以服务的权限运行"};
constexpr Text kOtherwise{
    "whoever can change the repository, or the folder, can run code on this machine at the next "
    "start",
    "能改动仓库或目录的人，可以在下次启动时于本机运行代码"};
constexpr Text kLeaveOut{
    "leave it out; a tokenizer that does need code says so within seconds of the start",
    "去掉它；如果分词器确实需要代码，启动几秒内就会提示"};

constexpr Need kNeeds[] = {Need::ModelArchitecture};

std::vector<Complaint> check(const Case& c) {
  const auto& flag = c.serve.trust_remote_code;
  if (!flag.asked() || !flag.value()) return {};
  const ModelSpec& model = c.model();
  const auto row = find_architecture(model.architecture.value());
  const bool own = row.has_value() && architecture_in(*row, c.serve.version) == true;
  if (!own || model.needs_remote_code.value_or(false)) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument architecture("architecture", model.architecture.value());
  d.title = {kTitle, {architecture}};
  mark(d, flag, kLabel);
  also(d, model.architecture, {}, {kBasis, {architecture, {"origin", model_origin(model)}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--trust-remote-code";
  complaint.proposals.push_back(
      {.title = kLeaveOut, .changes = {remove_flag("--trust-remote-code")}});
  return {complaint};
}

}  // namespace

extern const Rule remote_code_allowed{
    .code = "SX9102",
    .name = "remote-code-allowed",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
