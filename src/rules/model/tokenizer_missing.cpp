// SX4133. The long explanation and the scenes are in tokenizer_missing.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{folder} has no tokenizer", "{folder} 里没有分词器"};
constexpr Text kLabel{"weights and a config, no tokenizer files", "有权重和配置，没有分词器文件"};
constexpr Text kBecause{
    "the engine reads the tokenizer from the model's folder unless --tokenizer names another place",
    "引擎从模型目录读取分词器，除非用 --tokenizer 指定别处"};
constexpr Text kOtherwise{
    "it ends during start-up: \"Can't load tokenizer for …\", before any weights are loaded",
    "启动阶段退出：“Can't load tokenizer for …”，此时尚未加载权重"};
constexpr OfEngine kBecauseOf[] = {
    {"sglang",
     {"the engine reads the tokenizer from the model's folder unless --tokenizer-path names "
      "another "
      "place",
      "引擎从模型目录读取分词器，除非用 --tokenizer-path 指定别处"}}};
constexpr Text kCopy{
    "copy tokenizer.json and tokenizer_config.json from the model it was made from into {folder}, "
    "or name that model with {flag}",
    "从原模型把 tokenizer.json 和 tokenizer_config.json 复制到 {folder}，或用 {flag} 指定原模型"};

constexpr Need kNeeds[] = {Need::ModelFiles};

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  if (model.from != ModelFrom::Directory || model.tokenizer.value_or(true)) return {};
  if (c.serve.tokenizer.asked() || c.serve.use_of("--skip-tokenizer-init") != nullptr) return {};
  // A model that is no language model is told so by another rule.
  if (!model.generates.value_or(true) || model.adapter_kind.known()) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument folder("folder", model.folder);
  d.title = {kTitle, {folder}};
  mark(d, c.serve.model, kLabel);
  d.because = of_engine(c.serve, kBecauseOf, kBecause);
  d.otherwise = kOtherwise;
  const std::string flag = own_flag(c.serve, "--tokenizer");
  d.no_fix = {kCopy, {folder, {"flag", flag}}};
  d.subject = "tokenizer";
  return {complaint};
}

}  // namespace

extern const Rule tokenizer_missing{
    .code = "SX4133",
    .name = "tokenizer-missing",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
