// What a launch's flags, variables and card come down to for memory: numbers in force, defaults of
// the version filled in.
#pragma once

#include <optional>
#include <string_view>

#include "facts/case.h"
#include "fit/layout.h"
#include "fit/shape.h"
#include "knowledge/constants.h"

namespace sx {

struct VllmSettings {
  Version version;
  bool v0 = false;  // the older of the two engines in one program
  int dtype_bytes = 2;
  double kv_element = 2;  // bytes an element of the KV cache
  double memory_fraction = 0;
  Tokens max_model_len;
  bool max_model_len_asked = false;
  bool fill_the_pool = false;  // --max-model-len auto: as long as fits
  Tokens batched_tokens;
  int max_num_seqs = 1;
  int block_size = 16;
  bool eager = false;
  bool estimates_graphs = false;  // the engine subtracts what it thinks its graphs will take
  bool with_vision = false;       // the tower is loaded and profiled
  bool state_checkpoints = false;
  int draft_tokens = 0;       // speculative tokens a step
  bool draft_layers = false;  // the checkpoint's own draft layers are loaded
  bool draft_model = false;   // a model of its own is loaded, whose size is not known here
};

// Only what decides how much is loaded and which share of a card is used.
VllmSettings vllm_loading(const Case& c);

// `card`: the first GPU of the launch, whose size and name decide defaults.
VllmSettings vllm_settings(const Case& c, const Gpu& card);

// A constant of vLLM that every version has; asking for one that is not there is a bug of ours.
const Constant& vllm_constant(std::string_view name, const Version& version);
// A yes-or-no constant; no where the version has none.
bool vllm_does(std::string_view name, const Version& version);

// The value of an environment variable that the launch sees; empty: not set.
std::optional<std::string_view> variable_of(const Command& command, std::string_view name);

}  // namespace sx
