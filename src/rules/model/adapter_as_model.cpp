// SX4125. The long explanation and the scenes are in adapter_as_model.md.
#include <array>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{model} holds an adapter ({kind}), not a model",
                      "{model} 里是适配器（{kind}），不是模型"};
constexpr Text kMadeFor{"made for {base}", "为 {base} 训练"};
constexpr Text kBecause{
    "an adapter holds only the changes to a model; the model itself has to be served with it",
    "适配器只保存对模型的改动，必须连同原模型一起提供服务"};
constexpr Text kOtherwise{
    "the engine exits within seconds, as it finds no config.json of a model, or no weights",
    "引擎找不到模型的 config.json 或权重，几秒内退出"};
constexpr OfEngine kOtherwiseOf[] = {
    {"llamacpp",
     {"the load ends within seconds: the file's tensors are not those of a model",
      "几秒内加载失败：文件里的张量不是模型的张量"}}};
constexpr Text kServeBoth{"serve {base} and the adapter as {name}",
                          "提供 {base}，适配器以 {name} 为名"};
constexpr Text kBaseUnknown{
    "serve the model that the adapter was made for, and name the adapter by the engine's LoRA flag",
    "提供适配器所基于的模型，再用引擎的 LoRA 参数指定适配器"};

constexpr Need kNeeds[] = {Need::ModelConfig};

// The last part of a path, as a name for the adapter.
std::string name_of(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::string_view last = path.substr(path.rfind('/') + 1);
  return last.empty() || last == "." ? "adapter" : std::string(last);
}

// How each engine is told of an adapter beside its model.
std::vector<Change> with_adapter(const ServeSpec& serve, const std::string& name) {
  const std::string& path = serve.model.value();
  if (serve.engine == "vllm")
    return {add_switch("--enable-lora"), set_flag("--lora-modules", name + '=' + path)};
  if (serve.engine == "sglang") return {set_flag("--lora-paths", name + '=' + path)};
  return {set_flag("--lora", path)};
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  if (!model.adapter_kind.known() || !c.serve.model.known()) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"model", c.serve.model.value()}, {"kind", model.adapter_kind.value()}}};
  mark(d, c.serve.model, {});
  const bool based = model.adapter_base.known() && c.serve.engine != "llamacpp";
  if (model.adapter_base.known()) {
    const Message made{kMadeFor, {{"base", model.adapter_base.value()}}};
    also(d, model.adapter_base, made, made);
  }
  d.because = kBecause;
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = "model";
  d.no_fix = kBaseUnknown;
  if (!based) return {complaint};
  const std::string name = name_of(c.serve.model.value());
  std::vector<Change> changes = with_adapter(c.serve, name);
  changes.insert(changes.begin(), set_model(model.adapter_base.value()));
  complaint.proposals.push_back(
      {.title = {kServeBoth, {{"base", model.adapter_base.value()}, {"name", name}}},
       .changes = std::move(changes)});
  return {complaint};
}

}  // namespace

extern const Rule adapter_as_model{
    .code = "SX4125",
    .name = "adapter-as-model",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
