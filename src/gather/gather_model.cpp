// The story of a model: where it lies, what its config says, what its weight files are; else a row
// of the catalogue.
#include "gather/gather_model.h"

#include <algorithm>

#include "base/strings.h"
#include "gather/hub_files.h"
#include "gather/model_catalogue.h"
#include "gather/model_damage.h"
#include "gather/model_gguf.h"
#include "gather/model_parts.h"
#include "gather/model_places.h"
#include "gather/model_weights.h"
#include "knowledge/models.h"

namespace sx {
namespace {

constexpr Bytes kConfigLimit =
    mib(16);  // real ones are a few KiB; an inlined vocabulary has been seen

constexpr Text kNoConfig{"{folder} has no config.json", "{folder} 中没有 config.json"};
constexpr Text kReadProblem{"{what}", "{what}"};
constexpr Text kPipeline{"{folder} holds a diffusion pipeline, not a language model",
                         "{folder} 是扩散模型流水线，不是语言模型"};
constexpr Text kAdapter{"{folder} holds an adapter, not a model", "{folder} 里是适配器，不是模型"};

bool has_file(const Files& files, const std::string& folder, std::string_view name) {
  return files.info(joined_path(folder, name)).has_value();
}

// Exporters that leave config.json as it was put the number format into a file of its own.
void read_side_quantisation(ModelSpec& model, Sources& sources, const Files& files,
                            const std::string& folder) {
  if (!model.quantisation.known() || model.is_quantised()) return;
  const std::string path = joined_path(folder, "hf_quant_config.json");
  auto text = files.read(path, kConfigLimit);
  if (!text) return;
  const int source =
      sources.add({.name = "hf_quant_config.json", .uri = path, .text = *std::move(text)});
  const auto document = JsonDocument::parse(sources.at(source).text);
  if (!document || !document->root().is(JsonKind::Object)) return;
  const ConfigFields fields(source, "hf_quant_config.json", {document->root()});
  model.quantisation = read_quantisation(fields, document->root());
}

// When a config is silent, complete headers tell whether there is an output matrix of its own.
void settle_tied_embeddings(ModelSpec& model) {
  if (model.tied_embeddings.known() || model.tensors.empty()) return;
  if (!std::ranges::all_of(model.files,
                           [](const WeightFile& file) { return file.state == FileState::Ok; }))
    return;
  const bool head = std::ranges::any_of(model.tensors, [](const TensorInfo& tensor) {
    return tensor.name.ends_with("lm_head.weight") ||
           tensor.name.ends_with("output_layer.weight") ||
           tensor.name.ends_with("embed_out.weight") || tensor.name == "output.weight" ||
           tensor.name.ends_with(".lm_head.qweight");
  });
  model.tied_embeddings = {!head, Origin::Header};
}

// Catalogue ids of the same model in other number formats; a folder's name counts only when the
// shape agrees.
void add_siblings(ModelSpec& model, const std::string& asked) {
  std::string_view name = asked;
  while (name.ends_with('/')) name.remove_suffix(1);
  if (model.from == ModelFrom::Directory) name = name.substr(name.rfind('/') + 1);
  const ModelMatch match = match_model(name);
  if (!match.row || !model.layers.known() || !model.heads.known()) return;
  if (match.row->integer("num_hidden_layers") != model.layers.value()) return;
  if (match.row->integer("num_attention_heads") != model.heads.value()) return;
  for (const std::string_view sibling : quantised_siblings(match.row->id()))
    model.siblings.emplace_back(sibling);
}

// model_index.json names the class of the pipeline.
void read_pipeline(ModelSpec& model, Sources& sources, const Files& files,
                   const std::string& folder) {
  model.why_unknown = {kPipeline, {{"folder", folder}}};
  model.generates = {false, Origin::Config};
  const std::string path = joined_path(folder, "model_index.json");
  auto text = files.read(path, kConfigLimit);
  if (!text) return;
  const int source =
      sources.add({.name = "model_index.json", .uri = path, .text = *std::move(text)});
  const auto document = JsonDocument::parse(sources.at(source).text);
  if (!document || !document->root().is(JsonKind::Object)) return;
  const ConfigFields fields(source, "model_index.json", {document->root()});
  const JsonValue name = document->root()["_class_name"];
  if (auto word = name.string())
    model.pipeline_class = {*std::move(word), Origin::Config, fields.place(name)};
}

// adapter_config.json in a folder that has no weights of a model: what training left of an adapter.
void read_adapter(ModelSpec& model, Sources& sources, const Files& files,
                  const std::string& folder) {
  const bool weights = std::ranges::any_of(model.files, [](const WeightFile& file) {
    return file.state != FileState::Missing && file.state != FileState::Extra;
  });
  const std::string path = joined_path(folder, "adapter_config.json");
  if (weights) return;
  auto text = files.read(path, kConfigLimit);
  if (!text) return;
  const int source =
      sources.add({.name = "adapter_config.json", .uri = path, .text = *std::move(text)});
  const auto document = JsonDocument::parse(sources.at(source).text);
  if (!document || !document->root().is(JsonKind::Object)) return;
  const ConfigFields fields(source, "adapter_config.json", {document->root()});
  const JsonValue kind = document->root()["peft_type"];
  const JsonValue base = document->root()["base_model_name_or_path"];
  model.adapter_kind = {kind.string().value_or("LORA"), Origin::Config,
                        kind ? std::optional(fields.place(kind)) : std::nullopt};
  if (auto name = base.string(); name && !name->empty())
    model.adapter_base = {*std::move(name), Origin::Config, fields.place(base)};
  if (!model.layers.known()) model.why_unknown = {kAdapter, {{"folder", folder}}};
}

ModelSpec read_config(Sources& sources, const Files& files, const std::string& folder,
                      const std::string& name) {
  const std::string path = joined_path(folder, name);
  auto text = files.read(path, kConfigLimit);
  if (text) {
    const int source = sources.add({.name = name, .uri = path, .text = *std::move(text)});
    return model_from_config(sources, source);
  }
  ModelSpec model;
  const bool absent = text.error().kind == Error::Kind::Absent;
  model.why_unknown = absent ? Message{kNoConfig, {{"folder", folder}}}
                             : Message{kReadProblem, {{"what", text.error().words()}}};
  if (absent && has_file(files, folder, "model_index.json"))
    read_pipeline(model, sources, files, folder);
  return model;
}

// A GGUF file says all that its engine needs; a config beside it is of the model it was made from.
ModelSpec read_gguf_file(const ModelPlace& place, const std::string& asked, const Files& files) {
  ModelSpec model;
  model.from = place.from;
  model.id = asked;
  model.folder = place.folder;
  read_gguf_model(model, files, {.folder = place.folder, .file = place.file, .tag = place.tag});
  return model;
}

// Whether a folder has GGUF files and no config of another format.
bool is_gguf_folder(const Files& files, const ModelPlace& place) {
  if (!place.file.empty()) return place.file.ends_with(".gguf");
  const auto names = files.list(place.folder);
  if (!names || std::ranges::binary_search(*names, "config.json")) return false;
  return std::ranges::any_of(*names,
                             [](const std::string& name) { return name.ends_with(".gguf"); });
}

bool of_config(const DamagedText& text) { return text.of == DamagedText::Of::Config; }

ModelSpec read_folder(Sources& sources, const ModelPlace& place, const std::string& asked,
                      const Files& files) {
  if (is_gguf_folder(files, place)) return read_gguf_file(place, asked, files);
  const std::string config = place.file.ends_with(".json") ? place.file : "config.json";
  ModelSpec model = read_config(sources, files, place.folder, config);
  model.from = place.from;
  model.id = asked;
  model.folder = place.folder;
  read_side_quantisation(model, sources, files, place.folder);
  read_weights(model, files, place.folder);
  look_at_index(model, sources, files, place.folder);
  // Mistral's own config is read in its place.
  if (has_file(files, place.folder, "params.json")) std::erase_if(model.damaged_texts, of_config);
  if (place.from != ModelFrom::Hub) look_at_tokenizer(model, sources, files, place.folder);
  read_adapter(model, sources, files, place.folder);
  // A cache may hold a part of the repository only.
  if (place.from == ModelFrom::Directory) read_tokenizer(model, sources, files, place.folder);
  settle_tied_embeddings(model);
  add_siblings(model, asked);
  return model;
}

// "unsloth/Qwen3-8B-GGUF" is made from a model whose name is the rest.
std::string without_gguf(const std::string& id) {
  const auto at = lower(id).rfind("gguf");
  if (at == std::string::npos || at + 4 != id.size() || at < 2) return id;
  return id.substr(0, at - 1);
}

ModelSpec from_catalogue(const std::string& asked, const ModelPlace& place) {
  ModelSpec model;
  model.id = asked;
  model.why_unknown = place.why;
  if (place.is_path) return model;
  const TaggedId tagged = tagged_id(asked);
  const std::string plain = without_gguf(tagged.id);
  const bool gguf = !tagged.tag.empty() || plain != tagged.id;
  ModelMatch match = match_model(tagged.id);
  if (!match.row && gguf) match = match_model(plain);
  // Who makes GGUF files of a model keeps its name below a name of his own.
  if (!match.row && gguf) match = match_model(plain.substr(plain.rfind('/') + 1));
  model.closest_ids = match.closest_ids;
  if (!match.row) return model;
  model = model_from_row(*match.row, asked);
  model.same_shape_as = gguf && match.same_shape_as.empty() ? match.row->id() : match.same_shape_as;
  if (gguf && !model.is_quantised()) describe_as_gguf(model, tagged.tag);
  return model;
}

constexpr Text kOnlyOnline{"{model} is a web address; --online allows asking it",
                           "{model} 是网址；加上 --online 才会访问"};
constexpr Text kHubSilent{"{what}; the built-in catalogue was taken", "{what}；改用内置数据"};

Result<ModelSpec> from_hub(Sources& sources, const std::string& asked, const ModelPlace& place,
                           const std::string& revision, const Outside& outside) {
  const std::string id = is_web_address(asked) ? asked : tagged_id(asked).id;
  SX_TRY(auto hub, hub_of(id, revision, outside.environment));
  ModelPlace there = place;
  there.from = ModelFrom::Hub;
  there.folder = hub.folder();
  SX_TRY(const auto files, open_hub_folder(*outside.http, std::move(hub), outside.wait));
  return read_folder(sources, there, asked, *files);
}

// Not here: on the hub where it may be asked, else in the catalogue, which also stands in for a hub
// that does not answer.
ModelSpec from_elsewhere(Sources& sources, const std::string& asked, const ModelPlace& place,
                         const std::string& revision, const Outside& outside) {
  const bool address = is_web_address(asked);
  if (outside.http == nullptr && !address) return from_catalogue(asked, place);
  if (outside.http == nullptr) {
    ModelSpec model;
    model.id = asked;
    model.why_unknown = {kOnlyOnline, {{"model", asked}}};
    return model;
  }
  if (place.is_path && !address) return from_catalogue(asked, place);
  auto model = from_hub(sources, asked, place, revision, outside);
  if (model) return *std::move(model);
  ModelPlace silent = place;
  silent.is_path = address;
  silent.why = {kReadProblem, {{"what", model.error().words()}}};
  ModelSpec row = from_catalogue(asked, silent);
  if (row.from == ModelFrom::Catalogue)
    row.assumed.push_back({kHubSilent, {{"what", model.error().words()}}});
  return row;
}

}  // namespace

ModelSpec gather_model(Sources& sources, const std::string& model, const Outside& outside,
                       const std::string& revision) {
  const ModelPlace place = find_model(model, outside);
  if (place.from == ModelFrom::Nowhere)
    return from_elsewhere(sources, model, place, revision, outside);
  ModelSpec spec = read_folder(sources, place, model, *outside.files);
  // A cache with a download that has only begun knows less than the catalogue does.
  const bool nothing_read = !spec.layers.known() && !spec.architecture.known();
  if (place.from != ModelFrom::Cache || !nothing_read) return spec;
  ModelSpec row = from_catalogue(model, place);
  return row.from == ModelFrom::Catalogue ? row : spec;
}

}  // namespace sx
