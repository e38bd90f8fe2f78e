// What --hf-overrides says of a model's positions, and how to say it whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "check/rule.h"

namespace sx::rules {

struct RopeOverride {
  std::string key;      // "rope_scaling" or "rope_parameters", as typed
  std::string members;  // of that object, as typed, without its braces
  std::string others;   // the other members of the whole text
  std::string type;     // "yarn"
  std::optional<double> factor;
  std::optional<std::int64_t> original;  // original_max_position_embeddings
  bool has_theta = false;
  bool says_length = false;  // the whole text says max_position_embeddings or model_max_length
};

// Of a text of --hf-overrides; nothing when it is no object or has no such member.
std::optional<RopeOverride> rope_override(std::string_view overrides);

// The base of the model's rotations, by its config or by what its makers say of it.
std::optional<std::int64_t> rope_theta(const Case& c);

// The same override with what this version needs besides: the base, and the stretched length.
// Nothing when the base is not known.
std::optional<std::string> completed(const Case& c, const RopeOverride& rope);

// What --rope-scaling of older versions becomes for this one.
std::optional<std::string> override_of_rope_scaling(const Case& c, std::string_view rope_scaling);

}  // namespace sx::rules
