// A file in the place of JSON: a pointer, a web page, nothing; JSON with a fault; JSON whose values
// are of another kind than every engine's code takes for granted.
#include "gather/model_damage.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "gather/model_places.h"
#include "read/json.h"
#include "read/safetensors.h"

namespace sx {
namespace {

using Of = DamagedText::Of;
using Kind = DamagedText::Kind;

constexpr Bytes kConfigLimit = mib(16);  // as of config.json
constexpr Bytes kIndexLimit = mib(64);   // as of the weight index
constexpr Bytes kFront{1024};            // a pointer is shorter, and a web page begins as one

// Parts that engines read as objects: the shape of a language model, a rope, a number format.
constexpr std::array<std::string_view, 5> kObjects{"text_config", "vision_config", "rope_scaling",
                                                   "rope_parameters", "quantization_config"};
// Counts that engines divide by one another before anything else.
constexpr std::array<std::string_view, 6> kNumbers{"hidden_size",         "num_hidden_layers",
                                                   "num_attention_heads", "num_key_value_heads",
                                                   "intermediate_size",   "vocab_size"};

Both words(JsonKind kind) {
  switch (kind) {
    case JsonKind::Null:
      return {"null", "null"};
    case JsonKind::Bool:
      return {"a truth value", "布尔值"};
    case JsonKind::Number:
      return {"a number", "数字"};
    case JsonKind::String:
      return {"a text", "字符串"};
    case JsonKind::Array:
      return {"a list", "列表"};
    case JsonKind::Object:
      return {"an object", "对象"};
  }
  SX_UNREACHABLE("a kind of JSON that nobody thought of");
}

// What the file is instead of JSON, by its front.
std::optional<Kind> instead_of_json(std::string_view text) {
  if (text.find_first_not_of(" \n\r\t") == std::string_view::npos) return Kind::Empty;
  switch (looks_like(text)) {
    case NotWeights::LfsPointer:
      return Kind::Pointer;
    case NotWeights::WebPage:
      return Kind::WebPage;
    case NotWeights::Empty:
      return Kind::Empty;
    case NotWeights::No:
    case NotWeights::Text:
      return {};
  }
  SX_UNREACHABLE("a kind of file that nobody thought of");
}

Span first_line(const Sources& sources, int source) {
  const LineBounds line = line_bounds(sources.at(source), 0);
  return {source, line.begin, line.end};
}

// Null, false, and what is empty count as absent with the engines.
bool stands_for_nothing(const JsonValue& value) {
  if (value.is(JsonKind::Null)) return true;
  if (value.is(JsonKind::Bool)) return !value.boolean().value_or(true);
  return value.is(JsonKind::Array) && value.size() == 0;
}

void wrong_kinds(std::vector<DamagedText>& damage, JsonValue part, const std::string& file,
                 int source) {
  const auto add = [&](const JsonValue& value, std::string_view key, bool number) {
    damage.push_back({.file = file,
                      .kind = Kind::WrongKind,
                      .place = value.member_span(source),
                      .key = std::string(key),
                      .what = words(value.kind()),
                      .wants_number = number});
  };
  for (const std::string_view key : kObjects) {
    const JsonValue value = part[key];
    if (value && !value.is(JsonKind::Object) && !stands_for_nothing(value)) add(value, key, false);
  }
  for (const std::string_view key : kNumbers) {
    if (part[key].is(JsonKind::String)) add(part[key], key, true);
  }
}

// A text that becomes a source only where it is damaged.
void look_at(ModelSpec& model, Sources& sources, Source source, Of of) {
  Sources alone;
  alone.add(source);
  auto damage = damage_of(alone, 0, of);
  if (damage.empty()) return;
  const int added = sources.add(std::move(source));
  for (DamagedText& one : damage) {
    one.place.source = added;
    model.damaged_texts.push_back(std::move(one));
  }
}

}  // namespace

std::vector<DamagedText> damage_of(const Sources& sources, int source, Of of) {
  const Source& file = sources.at(source);
  DamagedText one{.file = file.name, .of = of, .place = first_line(sources, source)};
  if (const auto other = instead_of_json(file.text)) {
    one.kind = *other;
    return {one};
  }
  if (auto fault = JsonDocument::refused_by_python(file.text)) {
    one.place = {source, fault->begin, fault->end};
    one.what = std::move(fault->what);
    return {one};
  }
  const auto document = JsonDocument::parse(file.text);
  if (!document) return {};  // beyond our limits
  const JsonValue root = document->root();
  if (!root.is(JsonKind::Object)) {
    one.kind = Kind::NoObject;
    one.what = words(root.kind());
    return {one};
  }
  std::vector<DamagedText> damage;
  if (of != Of::Config) return damage;
  wrong_kinds(damage, root, file.name, source);
  if (root["text_config"].is(JsonKind::Object))
    wrong_kinds(damage, root["text_config"], file.name, source);
  return damage;
}

void look_at_tokenizer(ModelSpec& model, Sources& sources, const Files& files,
                       const std::string& folder) {
  const auto source_of = [&](const std::string& name, std::string text) {
    return Source{.name = name, .uri = joined_path(folder, name), .text = std::move(text)};
  };
  const std::string settings = "tokenizer_config.json";
  if (auto text = files.read(joined_path(folder, settings), kConfigLimit))
    look_at(model, sources, source_of(settings, *std::move(text)), Of::Tokenizer);
  // The vocabulary is long, and only what stands in its place is looked for.
  for (const std::string name : {"tokenizer.json", "tokenizer.model"}) {
    auto front = files.read_front(joined_path(folder, name), kFront);
    if (!front) continue;
    if (instead_of_json(*front))
      look_at(model, sources, source_of(name, *std::move(front)), Of::Tokenizer);
    break;  // where the first is there, the second is not read
  }
}

void look_at_index(ModelSpec& model, Sources& sources, const Files& files,
                   const std::string& folder) {
  if (model.index_file.empty()) return;
  const std::string path = joined_path(folder, model.index_file);
  auto text = files.read(path, kIndexLimit);
  if (!text) return;
  look_at(model, sources, {.name = model.index_file, .uri = path, .text = *std::move(text)},
          Of::Index);
}

}  // namespace sx
