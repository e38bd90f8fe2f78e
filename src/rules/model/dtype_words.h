// Which type the activations have, as the engine decides it.
#pragma once

#include <optional>
#include <string>

#include "check/rule.h"

namespace sx::rules {

// "float16", "bfloat16", "float32" of --dtype; empty: auto, or nothing that can be read.
std::string asked_dtype(const ServeSpec& serve);

// Whether the version refuses float16 for this kind of model.
bool refuses_float16(const Case& c);

// The least compute capability of bfloat16.
std::optional<ComputeCapability> bfloat16_capability(const ServeSpec& serve);

// What the ranks will compute in, on the weakest card of the launch; nothing when a part is
// unknown.
std::optional<std::string> dtype_in_force(const Case& c);

}  // namespace sx::rules
