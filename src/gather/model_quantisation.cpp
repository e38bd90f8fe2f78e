// quantization_config in the dialects of its writers.
#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "gather/model_parts.h"

namespace sx {
namespace {

constexpr Text kNoMethod{"{file} has a {key} without a method", "{file} 的 {key} 没有写明方法"};
constexpr std::size_t kMostKept = 100'000;

std::optional<double> bits_of(JsonValue value) {
  const auto bits = value.number();
  if (!bits || *bits < 1 || *bits > 64) return {};
  return bits;
}

std::optional<int> whole_of(JsonValue value, std::int64_t least) {
  const auto number = value.integer();
  if (!number || *number < least || *number > 1'000'000) return {};
  return static_cast<int>(*number);
}

JsonValue first_of(JsonValue object, ConfigFields::Keys keys) {
  for (const std::string_view key : keys) {
    const JsonValue value = object[key];
    if (value && !value.is(JsonKind::Null)) return value;
  }
  return {};
}

std::vector<std::string> names_of(JsonValue list) {
  std::vector<std::string> names;
  if (!list.is(JsonKind::Array)) return names;
  for (JsonValue name = list.first(); name && names.size() < kMostKept; name = name.next()) {
    if (auto text = name.string()) names.push_back(*std::move(text));
  }
  return names;
}

void read_block(Quantisation& quant, JsonValue block) {
  if (!block.is(JsonKind::Array) || block.size() != 2) return;
  quant.block_rows = whole_of(block.first(), 1);
  quant.block_columns = whole_of(block.first().next(), 1);
}

// "static" and false as booleans of `dynamic` mean the same.
std::optional<bool> static_activation(JsonValue config) {
  const auto scheme = config["activation_scheme"].string();
  if (!scheme) return {};
  return *scheme == "static";
}

bool is_fp8_cache(JsonValue config) {
  const JsonValue scheme = config["kv_cache_scheme"];
  if (scheme.is(JsonKind::Object)) {
    return scheme["num_bits"].integer() == 8 && scheme["type"].string().value_or("") == "float";
  }
  return lower(first_of(config, {"kv_cache_quant_algo", "kv_cache_quant_method"})
                   .string()
                   .value_or("")) == "fp8";
}

// One member of config_groups: {"weights": {…}, "input_activations": {…}}.
void read_group(Quantisation& quant, JsonValue group) {
  const JsonValue weights = group["weights"];
  quant.bits = bits_of(weights["num_bits"]);
  const std::string strategy = weights["strategy"].string().value_or("");
  quant.group_size = whole_of(weights["group_size"], -1);
  if (strategy == "channel") quant.group_size = -1;
  read_block(quant, weights["block_structure"]);
  if (const auto order = weights["actorder"].string()) quant.ordered = *order == "group";
  const JsonValue activations = group["input_activations"];
  if (const auto dynamic = activations["dynamic"].boolean()) quant.static_activation = !*dynamic;
}

// Groups that differ in bits have no one answer; a group size holds for the groups that have one.
void read_compressed_tensors(Quantisation& quant, JsonValue config) {
  const JsonValue groups = config["config_groups"];
  Quantisation all;
  bool first = true;
  for (JsonValue group = groups.first(); group; group = group.next()) {
    if (!group.is(JsonKind::Object)) continue;
    Quantisation one;
    read_group(one, group);
    if (first) {
      all = one;
    } else {
      if (all.bits != one.bits) all.bits.reset();
      if (!all.group_size) all.group_size = one.group_size;
      if (!all.block_rows) all.block_rows = one.block_rows, all.block_columns = one.block_columns;
    }
    first = false;
  }
  quant.bits = all.bits;
  quant.group_size = all.group_size;
  quant.block_rows = all.block_rows;
  quant.block_columns = all.block_columns;
  quant.ordered = all.ordered;
  quant.static_activation = all.static_activation;
  quant.format = config["format"].string().value_or("");
}

// Bits by the names of NVIDIA's exporter (NVIDIA/TensorRT-Model-Optimizer, hf_quant_config.json).
std::optional<double> bits_of_algorithm(std::string_view algorithm) {
  if (algorithm.starts_with("NVFP4") || algorithm.starts_with("MXFP4") ||
      algorithm.starts_with("W4"))
    return 4.0;
  if (algorithm.starts_with("FP8") || algorithm.starts_with("MXFP8") || algorithm.starts_with("W8"))
    return 8.0;
  return {};
}

void read_modelopt(Quantisation& quant, JsonValue config) {
  quant.format = config["quant_algo"].string().value_or("");
  quant.bits = bits_of_algorithm(quant.format);
  quant.group_size = whole_of(config["group_size"], -1);
  if (config["config_groups"].is(JsonKind::Object) && !quant.group_size) {
    Quantisation group;
    read_group(group, config["config_groups"].first());
    quant.group_size = group.group_size;
    if (!quant.bits) quant.bits = group.bits;
  }
}

void read_bitsandbytes(Quantisation& quant, JsonValue config) {
  const auto says = [&](ConfigFields::Keys keys) {
    return first_of(config, keys).boolean().value_or(false);
  };
  if (says({"load_in_8bit", "_load_in_8bit"})) quant.bits = 8.0;
  if (says({"load_in_4bit", "_load_in_4bit"})) quant.bits = 4.0;
  quant.format = config["bnb_4bit_quant_type"].string().value_or("");
}

void read_grouped(Quantisation& quant, JsonValue config) {
  quant.bits = bits_of(first_of(config, {"bits", "w_bit", "wbits", "num_bits"}));
  quant.group_size = whole_of(first_of(config, {"group_size", "q_group_size"}), -1);
  quant.ordered = config["desc_act"].boolean();
  quant.format =
      first_of(config, {"checkpoint_format", "version", "packing_format"}).string().value_or("");
}

void read_fp8(Quantisation& quant, JsonValue config) {
  quant.bits = 8.0;
  quant.format = config["fmt"].string().value_or("");
  quant.static_activation = static_activation(config);
  read_block(quant, config["weight_block_size"]);
}

std::string method_of(JsonValue config) {
  const auto written = config["quant_method"].string();
  if (written) return lower(trimmed(*written));
  if (first_of(config, {"load_in_4bit", "load_in_8bit", "_load_in_4bit", "_load_in_8bit"}))
    return "bitsandbytes";
  if (config["quant_algo"]) return "modelopt";
  return {};
}

}  // namespace

Fact<Quantisation> read_quantisation(const ConfigFields& fields, JsonValue whole) {
  if (!whole || whole.is(JsonKind::Null)) return {Quantisation{}, Origin::Default};
  const Span place = fields.place(whole);
  // hf_quant_config.json wraps the same fields.
  const JsonValue config =
      whole["quantization"].is(JsonKind::Object) ? whole["quantization"] : whole;
  if (config.is(JsonKind::Object) && config.size() == 0)
    return {Quantisation{}, Origin::Config, place};
  Quantisation quant{.method = method_of(config)};
  if (quant.method.empty()) {
    return Fact<Quantisation>::unknown(
        {kNoMethod, {{"file", fields.file()}, {"key", "quantization_config"}}});
  }
  if (quant.method.starts_with("modelopt")) {
    read_modelopt(quant, config);
  } else if (quant.method == "compressed-tensors") {
    read_compressed_tensors(quant, config);
  } else if (quant.method == "bitsandbytes") {
    read_bitsandbytes(quant, config);
  } else if (quant.method == "fp8" || quant.method == "fbgemm_fp8") {
    read_fp8(quant, config);
  } else if (quant.method == "mxfp4") {
    quant.bits = 4.0;
    quant.group_size = 32;  // OCP Microscaling Formats 1.0: 32 elements share a scale
  } else {
    read_grouped(quant, config);
  }
  if (is_fp8_cache(config)) quant.kv_fp8 = true;
  quant.kept = names_of(first_of(config, {"modules_to_not_convert", "ignore", "ignored_layers",
                                          "exclude_modules", "llm_int8_skip_modules"}));
  return {std::move(quant), Origin::Config, place};
}

}  // namespace sx
