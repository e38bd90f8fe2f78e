// How long a context can be, and what each layer keeps of it.
#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "gather/model_parts.h"
#include "knowledge/model_classes.h"

namespace sx {
namespace {

constexpr double kMostTokens = 1e12;  // beyond it a factor is nonsense

constexpr Text kNoLength{"{file} has none of the keys that give the longest context",
                         "{file} 里没有任何给出最长上下文的字段"};
constexpr Text kTooLong{"the rope factor of {file} leads to a context that cannot be right",
                        "{file} 的 rope 系数得出的上下文长度不可能正确"};

// The smallest of all keys; the one that Command-R writes wins over it.
// Source: vLLM 0.10, config: _get_and_verify_max_len.
Fact<std::int64_t> config_positions(const ConfigParts& config) {
  const ConfigFields& text = config.text;
  if (const auto own = text.positions({"model_max_length"}); own.known()) return own;
  Fact<std::int64_t> least = Fact<std::int64_t>::unknown({kNoLength, {{"file", text.file()}}});
  bool any = false;
  for (const std::string_view key :
       {"max_position_embeddings", "n_positions", "max_seq_len", "seq_length",
        "max_target_positions", "max_sequence_length", "max_seq_length", "seq_len"}) {
    if (!text.has({key})) continue;
    any = true;
    Fact<std::int64_t> fact = text.positions({key});
    if (least.known() && (!fact.known() || fact.value() >= least.value())) continue;
    least = std::move(fact);
  }
  if (any || !config.nested) return least;
  const auto assumed = class_count(config.family, "max_position_embeddings");
  return assumed ? Fact<std::int64_t>(*assumed, Origin::Default) : least;
}

RopeScaling scaling_of(const ConfigFields& fields, JsonValue object) {
  RopeScaling rope;
  const ConfigFields scaling(fields.source(), fields.file(), {object});
  rope.type = scaling.word({"rope_type", "type"}).value_or("default");
  if (const auto factor = object["factor"].number(); factor && *factor > 0) rope.factor = factor;
  const auto original = scaling.positions({"original_max_position_embeddings"});
  if (original.known()) rope.original_positions = original.value();
  return rope;
}

// rope_parameters of transformers 5: one object, or one a kind of layer, which share their scaling.
JsonValue scaled_part(JsonValue object) {
  JsonValue part = object;
  for (JsonValue inner = object.first(); inner; inner = inner.next()) {
    if (!inner.is(JsonKind::Object)) continue;
    if (part["factor"] && !inner["factor"]) continue;
    part = inner;
  }
  return part;
}

Fact<RopeScaling> rope_scaling(const ConfigFields& text) {
  JsonValue object = text.find({"rope_scaling", "rope_parameters"});
  if (!object) return {RopeScaling{}, Origin::Default};
  if (!object.is(JsonKind::Object)) return Fact<RopeScaling>::unknown(text.senseless(object));
  return {scaling_of(text, scaled_part(object)), Origin::Config, text.place(object)};
}

// "use_sliding_window": false switches the number off; the Qwen classes have false when the config
// does not say.
Fact<Tokens> sliding_window(const ConfigParts& config) {
  const ConfigFields& text = config.text;
  const JsonValue value =
      text.find({"sliding_window", "sliding_window_size", "attention_chunk_size"});
  if (!value) return {Tokens{0}, Origin::Default};
  const bool by_default = class_truth(config.family, "use_sliding_window").value_or(true);
  if (!text.truth({"use_sliding_window"}).value_or(by_default))
    return {Tokens{0}, Origin::Config, text.place(value)};
  const auto window = one_integer(value);
  if (!window || *window < 1 || *window > static_cast<std::int64_t>(kMostTokens)) {
    return Fact<Tokens>::unknown(text.senseless(value));
  }
  return {Tokens{*window}, Origin::Config, text.place(value)};
}

std::vector<std::string> written_types(JsonValue list) {
  constexpr std::size_t kMostLayers = 10'000;
  std::vector<std::string> types;
  for (JsonValue type = list.first(); type && types.size() < kMostLayers; type = type.next()) {
    types.push_back(type.string().value_or(""));
  }
  return types;
}

// Nemotron-H and its kin: a letter a layer. Source: vLLM models/nemotron_h.py,
// hybrid_override_pattern.
std::vector<std::string> types_of_letters(std::string_view letters) {
  std::vector<std::string> types;
  for (const char letter : letters.substr(0, 10'000)) {
    if (letter == 'M') types.emplace_back("mamba");
    if (letter == '*') types.emplace_back("full_attention");
    if (letter == '-') types.emplace_back("mlp");
    if (letter == 'E') types.emplace_back("moe");
  }
  return types;
}

// 0 marks a layer without rotation, which sees everything; the others see chunks (transformers,
// modeling_llama4.py).
std::vector<std::string> types_of_rotation(JsonValue list) {
  std::vector<std::string> types;
  for (JsonValue layer = list.first(); layer; layer = layer.next()) {
    types.emplace_back(layer.integer() == 0 ? "full_attention" : "chunked_attention");
  }
  return types;
}

// Families that do not write layer_types out.
std::vector<std::string> types_of_family(const ModelSpec& model, const ConfigParts& config) {
  if (!model.layers.known() || model.layers.value() > 10'000) return {};
  const int layers = model.layers.value();
  if (model.is_linear_hybrid() && model.full_interval.value_or(0) > 0) {
    return every_nth_full("linear_attention", model.full_interval.value(), layers);
  }
  const bool windows = model.sliding_window.known() && model.sliding_window.value() > Tokens{0};
  int interval =
      config.text.count({"sliding_window_pattern", "_sliding_window_pattern"}).value_or(0);
  if (interval == 0) interval = class_count(config.family, "sliding_window_pattern").value_or(0);
  if (windows && interval > 0) return every_nth_full("sliding_attention", interval, layers);
  return {};
}

std::vector<std::string> layer_types(const ModelSpec& model, const ConfigParts& config) {
  const ConfigFields& text = config.text;
  if (const auto list = text.find({"layer_types", "layers_block_type"}); list.is(JsonKind::Array))
    return written_types(list);
  if (const auto letters = text.find({"hybrid_override_pattern"}).string())
    return types_of_letters(*letters);
  if (const auto list = text.find({"no_rope_layers"});
      list.is(JsonKind::Array) && text.has({"attention_chunk_size"})) {
    return types_of_rotation(list);
  }
  return types_of_family(model, config);
}

// `unit` over and over.
std::vector<std::string> repeated_types(const std::vector<std::string>& unit, int layers) {
  std::vector<std::string> types;
  if (unit.empty()) return types;
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(layers); ++layer)
    types.push_back(unit[layer % unit.size()]);
  return types;
}

}  // namespace

Fact<Tokens> longest_context(const Fact<std::int64_t>& positions, const Fact<RopeScaling>& rope,
                             std::string_view model_type) {
  if (!positions.known()) return Fact<Tokens>::unknown(positions.why_unknown());
  const Fact<Tokens> unchanged{Tokens{positions.value()}, positions.origin(), positions.span()};
  if (!rope.known() || class_truth(model_type, "context_is_scaled").value_or(false))
    return unchanged;
  const RopeScaling& scaling = rope.value();
  if (scaling.type == "su" || scaling.type == "longrope" || scaling.type == "llama3")
    return unchanged;
  const bool from_original = scaling.type == "yarn" || scaling.type == "deepseek_yarn";
  const std::int64_t base =
      from_original ? scaling.original_positions.value_or(positions.value()) : positions.value();
  const double tokens = static_cast<double>(base) * scaling.factor.value_or(1.0);
  if (tokens < 1 || tokens > kMostTokens)
    return Fact<Tokens>::unknown({kTooLong, {{"file", "config.json"}}});
  const auto whole = static_cast<std::int64_t>(tokens);
  if (whole == positions.value()) return unchanged;
  return {Tokens{whole}, Origin::Config, rope.span() ? rope.span() : positions.span()};
}

std::vector<std::string> every_nth_full(std::string_view others, int interval, int layers) {
  std::vector<std::string> types;
  for (int layer = 1; layer <= layers; ++layer) {
    types.emplace_back(layer % interval == 0 ? "full_attention" : others);
  }
  return types;
}

// "…;unit=linear/linear/linear/full", "5 sliding : 1 full (every 6th full)", "alternating: even
// index sliding / odd full".
std::vector<std::string> layer_types_of(std::string_view pattern, int layers) {
  if (layers < 1 || layers > 10'000) return {};
  if (pattern.starts_with("alternating"))
    return repeated_types({"sliding_attention", "full_attention"}, layers);
  if (pattern.starts_with("5 sliding : 1 full"))
    return every_nth_full("sliding_attention", 6, layers);
  const auto unit = pattern.find(";unit=");
  if (unit == std::string_view::npos) return {};
  std::vector<std::string> words;
  for (const auto word : split(pattern.substr(unit + 6), '/'))
    words.push_back(std::string(word) + "_attention");
  return repeated_types(words, layers);
}

void read_context(ModelSpec& model, const ConfigParts& config) {
  model.config_positions = config_positions(config);
  model.rope = rope_scaling(config.text);
  model.max_positions = longest_context(model.config_positions, model.rope, config.family);
  model.sliding_window = sliding_window(config);
  model.layer_types = layer_types(model, config);
}

}  // namespace sx
