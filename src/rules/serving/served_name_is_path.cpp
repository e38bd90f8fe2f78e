// SX8113. The long explanation and the scenes are in served_name_is_path.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"clients have to call the model {path}", "客户端必须把模型名写成 {path}"};
constexpr Text kLabel{"also the name in the API", "也是 API 里的模型名"};
constexpr Text kBecause{
    "without --served-model-name the API knows the model by the words of the command, character by "
    "character",
    "没有 --served-model-name 时，API 里的模型名就是命令里的写法，一个字符都不能差"};
constexpr Text kOtherwise{
    "any other name is answered with 404: \"The model … does not exist\"; a moved folder changes "
    "the name",
    "写成别的名字会返回 404：“The model … does not exist”；目录一挪，名字也跟着变"};
constexpr Text kName{"let clients call it {name}; those that send the path now have to change",
                     "让客户端用 {name}；现在发送路径的客户端要跟着改"};

bool is_path(const std::string& model) {
  return model.starts_with('/') || model.starts_with("./") || model.starts_with("../") ||
         model.starts_with('~');
}

// "/models/Qwen2.5-7B-Instruct/" → "Qwen2.5-7B-Instruct"; empty where the last part says nothing.
std::string name_of(std::string model) {
  while (model.ends_with('/')) model.pop_back();
  std::string name = model.substr(model.rfind('/') + 1);
  if (name == "." || name == ".." || name == "~") return {};
  return name;
}

std::vector<Complaint> check(const Case& c) {
  const Fact<std::string>& model = c.serve.model;
  if (!model.asked() || !is_path(model.value()) || c.serve.served_name.known()) return {};
  if (!c.serve.served_name.why_unknown().empty()) return {};
  const std::string name = name_of(model.value());
  if (name.empty()) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"path", model.value()}}};
  mark(d, model, kLabel);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--served-model-name";
  complaint.proposals.push_back(
      {{kName, {{"name", name}}}, {set_flag("--served-model-name", name)}});
  return {complaint};
}

}  // namespace

extern const Rule served_name_is_path{
    .code = "SX8113",
    .name = "served-name-is-path",
    .severity = Severity::Advice,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
