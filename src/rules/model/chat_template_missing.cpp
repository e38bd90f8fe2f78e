// SX4134. The long explanation and the scenes are in chat_template_missing.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{folder} has no chat template", "{folder} 里没有聊天模板"};
constexpr Text kLabel{"its tokenizer brings none", "它的分词器没有带模板"};
constexpr Text kBecause{
    "a chat request is written out as one prompt by the template; since transformers 4.44 there is "
    "no default one",
    "聊天请求要靠模板拼成提示词；transformers 4.44 起没有默认模板"};
constexpr Text kOtherwise{
    "it starts; /v1/completions works, each request to /v1/chat/completions is answered with 400",
    "可以启动；/v1/completions 可用，但 /v1/chat/completions 的每个请求都返回 400"};
constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"it starts; a template is guessed from the name of the model, and where none fits chat "
      "requests are answered with an error",
      "可以启动；引擎会按模型名字猜一个模板，猜不到时聊天请求会报错"}}};
constexpr Text kGive{
    "for chat give the template of the model it was made from: --chat-template FILE.jinja; a base "
    "model for completions needs none",
    "要用聊天接口，就给出原模型的模板：--chat-template FILE.jinja；只做补全的基础模型不需要"};

constexpr Need kNeeds[] = {Need::ModelFiles};

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  if (model.from != ModelFrom::Directory || model.chat_template.value_or(true)) return {};
  // Without a tokenizer the launch ends before a template is looked for.
  if (!model.tokenizer.value_or(true) || c.serve.tokenizer.asked()) return {};
  if (c.serve.use_of("--chat-template") != nullptr || !model.generates.value_or(true)) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"folder", model.folder}}};
  mark(d, c.serve.model, kLabel);
  also(d, model.chat_template, {}, {});
  std::erase_if(d.basis, [](const Message& basis) { return basis.empty(); });
  d.because = kBecause;
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.no_fix = kGive;
  d.subject = "--chat-template";
  return {complaint};
}

}  // namespace

extern const Rule chat_template_missing{
    .code = "SX4134",
    .name = "chat-template-missing",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
