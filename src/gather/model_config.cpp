// config.json → facts: what the model is called, whether it generates text, its numbers' type; the
// shape is read in model_attention.cpp, model_experts.cpp, model_context.cpp, the number format in
// model_quantisation.cpp.
#include <algorithm>

#include "base/strings.h"
#include "gather/gather_model.h"
#include "gather/model_damage.h"
#include "gather/model_parts.h"
#include "knowledge/architectures.h"
#include "knowledge/config_types.h"
#include "knowledge/model_classes.h"

namespace sx {
namespace {

constexpr Text kUnreadable{"{file} cannot be read: {why}", "无法读取 {file}：{why}"};
constexpr Text kNoObject{"{file} is not a JSON object", "{file} 不是 JSON 对象"};
constexpr Text kUnclear{"the class {name} may or may not generate text",
                        "无法确定类 {name} 是否生成文本"};
constexpr Text kClassDefault{"{file} does not say whether the embeddings are shared",
                             "{file} 没有说明词嵌入是否共用"};

// Where vision-language configs keep their language model.
JsonValue language_part(JsonValue root) {
  for (const std::string_view key :
       {"text_config", "llm_config", "language_config", "text_model_config"}) {
    if (root[key].is(JsonKind::Object) && root[key].size() > 0) return root[key];
  }
  const JsonValue thinker = root["thinker_config"];
  return thinker.is(JsonKind::Object) ? language_part(thinker) : JsonValue{};
}

JsonValue vision_part(JsonValue root) {
  if (root["vision_config"].is(JsonKind::Object)) return root["vision_config"];
  const JsonValue thinker = root["thinker_config"];
  return thinker.is(JsonKind::Object) ? thinker["vision_config"] : JsonValue{};
}

ConfigParts parts_of(JsonValue root, int source, const std::string& file) {
  const JsonValue language = language_part(root);
  std::vector<JsonValue> text{root};
  std::vector<JsonValue> whole{root};
  if (language) {
    text = {language, root};
    whole.push_back(language);
  }
  // DBRX and MPT keep some fields one level deeper.
  for (const std::string_view key : {"attn_config", "ffn_config"}) {
    if (root[key].is(JsonKind::Object)) text.push_back(root[key]);
  }
  ConfigParts parts{.text = ConfigFields(source, file, text),
                    .whole = ConfigFields(source, file, whole),
                    .vision = vision_part(root),
                    .family = {},
                    .nested = static_cast<bool>(language)};
  parts.family = parts.text.word({"model_type"}).value_or("");
  return parts;
}

Fact<std::string> first_architecture(const ConfigFields& whole) {
  const JsonValue list = whole.find({"architectures"});
  if (!list) return Fact<std::string>::unknown(whole.absent("architectures"));
  const auto name = list.first().string();
  if (!list.is(JsonKind::Array) || !name || name->empty())
    return Fact<std::string>::unknown(whole.senseless(list));
  return {*name, Origin::Config, whole.place(list)};
}

Fact<bool> generates(const ModelSpec& model, const ConfigFields& whole) {
  if (const JsonValue diffusers = whole.find({"_diffusers_version"})) {
    return {false, Origin::Config, whole.place(diffusers)};
  }
  if (!model.architecture.known()) return Fact<bool>::unknown(model.architecture.why_unknown());
  const std::string& name = model.architecture.value();
  const auto says = [&](bool answer) {
    return Fact<bool>(answer, Origin::Config, model.architecture.span());
  };
  for (const std::string_view end : {"ForCausalLM", "ForConditionalGeneration", "LMHeadModel"}) {
    if (name.ends_with(end)) return says(true);
  }
  for (const std::string_view end :
       {"ForSequenceClassification", "ForTokenClassification", "ForMaskedLM"}) {
    if (name.ends_with(end)) return says(false);
  }
  const auto row = find_architecture(name);
  if (row && (row->category == "text_generation_models" || row->category == "multimodal_models"))
    return says(true);
  if (row && row->category == "embedding_models") return says(false);
  return Fact<bool>::unknown({kUnclear, {{"name", name}}});
}

Fact<std::string> dtype_of(const ConfigFields& whole) {
  Fact<std::string> fact = whole.word({"dtype", "torch_dtype"});
  if (!fact.known()) return Fact<std::string>::unknown(fact.why_unknown());
  std::string name = fact.value();
  if (name.starts_with("torch.")) name = name.substr(6);
  return {std::move(name), Origin::Config, fact.span()};
}

Fact<bool> tied_embeddings(const ConfigParts& config) {
  // The language model's own word counts; a family without one takes its class's.
  Fact<bool> fact = config.text.truth({"tie_word_embeddings"});
  if (fact.known() || config.text.has({"tie_word_embeddings"})) return fact;
  if (const auto assumed = class_truth(config.family, "tie_word_embeddings"))
    return {*assumed, Origin::Default};
  return Fact<bool>::unknown({kClassDefault, {{"file", config.text.file()}}});
}

// auto_map names Python code beside the weights. It is needed for a config of a kind that no
// library knows, and for a class that the engine has not itself.
Fact<bool> needs_remote_code(const ModelSpec& model, const ConfigFields& whole) {
  const JsonValue map = whole.find({"auto_map"});
  if (!map) return {false, Origin::Default};
  const bool own_class =
      model.architecture.known() && find_architecture(model.architecture.value()).has_value();
  const bool own_config = map["AutoConfig"] && model.model_type.known() &&
                          !config_type_known_to_any("vllm", model.model_type.value());
  return {own_config || !own_class, Origin::Config, whole.place(map)};
}

void read_all(ModelSpec& model, const ConfigParts& config) {
  model.architecture = first_architecture(config.whole);
  model.model_type = config.whole.word({"model_type"});
  model.dtype = dtype_of(config.whole);
  model.generates = generates(model, config.whole);
  read_attention(model, config);
  read_experts(model, config);
  read_context(model, config);
  read_vision(model, config);
  model.tied_embeddings = tied_embeddings(config);
  model.quantisation = read_quantisation(
      config.whole, config.whole.find({"quantization_config", "compression_config"}));
  model.needs_remote_code = needs_remote_code(model, config.whole);
}

}  // namespace

ModelSpec model_from_config(const Sources& sources, int source) {
  const Source& file = sources.at(source);
  const std::string name = file.name.empty() ? "config.json" : file.name;
  ModelSpec model;
  model.damaged_texts = damage_of(sources, source, DamagedText::Of::Config);
  const auto document = JsonDocument::parse(file.text);
  if (!document) {
    model.why_unknown = {kUnreadable, {{"file", name}, {"why", document.error().words()}}};
    return model;
  }
  if (!document->root().is(JsonKind::Object)) {
    model.why_unknown = {kNoObject, {{"file", name}}};
    return model;
  }
  read_all(model, parts_of(document->root(), source, name));
  return model;
}

}  // namespace sx
