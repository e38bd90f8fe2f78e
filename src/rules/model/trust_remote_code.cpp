// SX4115. The long explanation and the scenes are in trust_remote_code.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/architectures.h"
#include "knowledge/config_types.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"the model needs Python code from its repository, and nothing allows it",
                      "模型需要运行其仓库里的 Python 代码，但没有允许"};
constexpr Text kModelType{"the config is of type {type}", "配置类型是 {type}"};
constexpr Text kClass{"the class is {type}", "模型类是 {type}"};
constexpr Text kPlace{"names the code", "指明了代码"};
constexpr Text kNoConfig{
    "neither vLLM {version} nor transformers has a config of this type; its code lies beside the "
    "weights",
    "vLLM {version} 和 transformers 都没有这种类型的配置，代码在权重旁边"};
constexpr Text kNoClass{
    "vLLM {version} has no such class of its own; its code lies beside the weights",
    "vLLM {version} 自己没有这个类，代码在权重旁边"};
constexpr Text kOtherwise{
    "the engine exits within seconds: \"contains custom code which must be executed to correctly "
    "load the model\"",
    "引擎在几秒内退出：“contains custom code which must be executed to correctly load the model”"};
constexpr Text kAllow{
    "allow it: that Python code then runs with all rights of the server, so read it first",
    "允许运行：这些 Python 代码将拥有服务的全部权限，应先读一遍"};

constexpr Need kNeeds[] = {Need::ModelConfig};

// The config's class comes from the repository, in this version.
bool config_is_foreign(const Case& c) {
  const Fact<std::string>& type = c.model().model_type;
  return type.known() && !config_type_known(c.serve.engine, type.value(), c.serve.version);
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  const ServeSpec& serve = c.serve;
  const bool flag_unclear =
      !serve.trust_remote_code.known() && !serve.trust_remote_code.why_unknown().empty();
  if (!model.needs_remote_code.known() || flag_unclear || serve.trust_remote_code.value_or(false))
    return {};
  // A map that some version of the engine does without: in this one the config's type decides.
  const bool has_map = model.needs_remote_code.origin() == Origin::Config;
  const bool foreign_config = has_map && config_is_foreign(c);
  if (!model.needs_remote_code.value() && !foreign_config) return {};
  if (overridden(serve, "model_type") || overridden(serve, "architectures")) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = kTitle;
  const Argument type(
      "type", foreign_config ? model.model_type.value_or("") : model.architecture.value_or(""));
  mark(d, serve.model, {foreign_config ? kModelType : kClass, {type}});
  also(d, model.needs_remote_code, kPlace, {});
  const Argument version("version", serve.version.text());
  d.because = {foreign_config ? kNoConfig : kNoClass, {version}};
  d.otherwise = kOtherwise;
  d.subject = "--trust-remote-code";
  complaint.proposals.push_back(
      {.title = kAllow, .changes = {add_switch("--trust-remote-code")}, .safety = Safety::Trades});
  return {complaint};
}

}  // namespace

extern const Rule trust_remote_code{
    .code = "SX4115",
    .name = "trust-remote-code",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
