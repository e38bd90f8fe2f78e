// The story of a model: where it lies, what its config says, what its weight files are; else a row
// of the catalogue.
#include "gather/gather_model.h"

#include <algorithm>

#include "gather/model_catalogue.h"
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
  if (absent && has_file(files, folder, "model_index.json")) {
    model.why_unknown = {kPipeline, {{"folder", folder}}};
    model.generates = {false, Origin::Config};
  }
  return model;
}

ModelSpec read_folder(Sources& sources, const ModelPlace& place, const std::string& asked,
                      const Files& files) {
  const std::string config = place.file.ends_with(".json") ? place.file : "config.json";
  ModelSpec model = read_config(sources, files, place.folder, config);
  model.from = place.from;
  model.id = asked;
  model.folder = place.folder;
  if (place.file.ends_with(".gguf")) {
    const auto info = files.info(joined_path(place.folder, place.file));
    model.weight_format = {"gguf", Origin::Header};
    model.files.push_back({.path = place.file, .bytes = info ? info->bytes : Bytes{}});
    return model;
  }
  read_side_quantisation(model, sources, files, place.folder);
  read_weights(model, files, place.folder);
  settle_tied_embeddings(model);
  add_siblings(model, asked);
  return model;
}

ModelSpec from_catalogue(const std::string& asked, const ModelPlace& place) {
  ModelSpec model;
  model.id = asked;
  model.why_unknown = place.why;
  if (place.is_path) return model;
  const ModelMatch match = match_model(asked);
  model.closest_ids = match.closest_ids;
  if (!match.row) return model;
  model = model_from_row(*match.row, asked);
  model.same_shape_as = match.same_shape_as;
  return model;
}

}  // namespace

ModelSpec gather_model(Sources& sources, const std::string& model, const Outside& outside) {
  const ModelPlace place = find_model(model, outside);
  if (place.from == ModelFrom::Nowhere) return from_catalogue(model, place);
  ModelSpec spec = read_folder(sources, place, model, *outside.files);
  // A cache with a download that has only begun knows less than the catalogue does.
  const bool nothing_read = !spec.layers.known() && !spec.architecture.known();
  if (place.from != ModelFrom::Cache || !nothing_read) return spec;
  ModelSpec row = from_catalogue(model, place);
  return row.from == ModelFrom::Catalogue ? row : spec;
}

}  // namespace sx
