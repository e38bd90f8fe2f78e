// SX4116. The long explanation and the scenes are in not_a_language_model.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{model} makes images; it is no language model",
                      "{model} 用于生成图像，不是语言模型"};
constexpr Text kFolder{
    "the folder holds a diffusion pipeline: model_index.json and a part in each subfolder",
    "该目录是扩散模型流水线：有 model_index.json，各部件在子目录里"};
constexpr Text kClass{"a pipeline of class {class}", "{class} 类的流水线"};
constexpr Text kCatalogue{"a diffusion model: {origin}", "扩散模型：{origin}"};
constexpr Text kBecause{"vllm serve runs models that produce text, token by token, or embeddings",
                        "vllm serve 运行的是逐 token 生成文本的模型，或嵌入模型"};
constexpr Text kOtherwise{
    "the engine exits within seconds, as it finds no config.json or no such class",
    "引擎找不到 config.json 或对应的类，几秒内退出"};
constexpr Text kServes{"what runs it: diffusers, ComfyUI, or vLLM-Omni (vllm serve --omni)",
                       "可以运行它的有：diffusers、ComfyUI、vLLM-Omni（vllm serve --omni）"};

constexpr Need kNeeds[] = {Need::ModelKind};

// Embedding models and classifiers generate no text either, and are served all the same.
bool is_pipeline(const Case& c) {
  const ModelSpec& model = c.model();
  if (model.generates.value()) return false;
  if (model.from == ModelFrom::Catalogue) return model.model_type.value_or("") == "diffusion";
  if (!model.architecture.known() && !model.layers.known()) return true;
  const auto& place = model.generates.span();
  return place && c.sources->text(*place).find("_diffusers_version") != std::string_view::npos;
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  if (!is_pipeline(c) || c.serve.use_of("--omni") != nullptr) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"model", c.serve.model.value_or(model.id)}}};
  mark(d, c.serve.model, model.from == ModelFrom::Catalogue ? Message{} : Message{kFolder});
  if (model.from == ModelFrom::Catalogue)
    d.basis.push_back({kCatalogue, {{"origin", model_origin(model)}}});
  if (model.pipeline_class.known()) {
    const Message pipeline{kClass, {{"class", model.pipeline_class.value()}}};
    also(d, model.pipeline_class, pipeline, pipeline);
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "model";
  d.no_fix = kServes;
  return {complaint};
}

}  // namespace

extern const Rule not_a_language_model{
    .code = "SX4116",
    .name = "not-a-language-model",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
