// SX4131. The long explanation and the scenes are in gguf_keys_unusable.md.
#include <optional>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kNoTokenizer{"the file's header has no tokenizer.ggml.model",
                            "文件头中没有 tokenizer.ggml.model"};
constexpr Text kBecause{
    "the engine builds the model from these keys alone, and has no default for them",
    "引擎只凭这些键搭建模型，它们没有默认值"};
constexpr Text kOtherwise{
    "the load ends within seconds: \"key not found in model\", or with an abort where a count is "
    "out of range",
    "几秒内加载失败：“key not found in model”；个数超出范围时进程直接中止"};
constexpr Text kConvert{
    "convert the model anew with the converter of this build (convert_hf_to_gguf.py), or fetch a "
    "file of another maker",
    "用同一构建的转换脚本（convert_hf_to_gguf.py）重新转换，或下载其他发布者的文件"};

constexpr Need kNeeds[] = {Need::ModelFiles};

// The reason why a fact is not known that every architecture must give.
std::optional<Message> lacking(const ModelSpec& model) {
  if (!model.architecture.known()) return model.architecture.why_unknown();
  if (!model.layers.known()) return model.layers.why_unknown();
  if (!model.config_positions.known()) return model.config_positions.why_unknown();
  if (!model.hidden_size.known()) return model.hidden_size.why_unknown();
  if (!model.tokenizer.value_or(true)) return Message{kNoTokenizer};
  return {};
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  const bool read = !model.files.empty() && model.files.front().state == FileState::Ok;
  const bool whole_model = model.generates.value_or(true) && !model.adapter_kind.known();
  // Without a reason nothing was read: a folder of several models.
  if (model.weight_format.value_or("") != "gguf" || !read || !whole_model) return {};
  // Keys may be given on the command line.
  if (!model.why_unknown.empty() || c.serve.use_of("--override-kv") != nullptr) return {};
  const auto what = lacking(model);
  if (!what || what->empty()) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = *what;
  mark(d, c.serve.model, {});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "model";
  d.no_fix = kConvert;
  return {complaint};
}

}  // namespace

extern const Rule gguf_keys_unusable{
    .code = "SX4131",
    .name = "gguf-keys-unusable",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
