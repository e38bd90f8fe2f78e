// The longest context that an engine derives from a model's config where the command names none:
// engines and versions differ in what they make of YaRN.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/model_spec.h"
#include "facts/serve_spec.h"

namespace sx {

// Equal, unless the launch's version lies between two that were read and do it differently.
struct ContextLimit {
  std::int64_t least = 0, most = 0;
};

// What memory is worked out for; a number of tokens is assumed where the model's limit is not
// known.
std::int64_t own_context(const ServeSpec& serve, const ModelSpec& model);

// Nothing when the model's own limit is not known.
std::optional<ContextLimit> context_limit(const ServeSpec& serve, const ModelSpec& model);

}  // namespace sx
