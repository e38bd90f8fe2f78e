// The parts of a ModelSpec that are read one after another from a config.json and the files beside
// it; only gather/model_config.cpp and gather/gather_model.cpp call them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/model_spec.h"
#include "gather/model_fields.h"
#include "sys/files.h"

namespace sx {

struct ConfigParts {
  ConfigFields text;    // the language model's part, then the whole
  ConfigFields whole;   // the whole, then the language model's part
  JsonValue vision;     // vision_config; absent: no tower
  std::string family;   // model_type of the language model's part, else of the whole
  bool nested = false;  // the language model has a part of its own
};

void read_attention(
    ModelSpec& model,
    const ConfigParts& config);  // layers, heads, widths, latent and linear attention
void read_experts(ModelSpec& model, const ConfigParts& config);
void read_vision(ModelSpec& model, const ConfigParts& config);
void read_context(ModelSpec& model,
                  const ConfigParts& config);  // positions, rope, windows, kinds of layers

// "quantization_config", or the whole of hf_quant_config.json.
Fact<Quantisation> read_quantisation(const ConfigFields& fields, JsonValue config);

// The longest context as vLLM derives it from the config's number.
Fact<Tokens> longest_context(const Fact<std::int64_t>& positions, const Fact<RopeScaling>& rope,
                             std::string_view model_type);

// What of a tokenizer the folder holds.
void read_tokenizer(ModelSpec& model, Sources& sources, const Files& files,
                    const std::string& folder);

// One word a layer ("full_attention", "sliding_attention", "linear_attention", "chunked_attention")
// from the catalogue's pattern; empty when the pattern is not understood.
std::vector<std::string> layer_types_of(std::string_view pattern, int layers);
// All but each `interval`-th layer of one kind, that one full.
std::vector<std::string> every_nth_full(std::string_view others, int interval, int layers);

}  // namespace sx
