// How llama-server shares its context out.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/serve_spec.h"

namespace sx::rules {

// Slots that each get a part of the context: 1 where they have one cache in common, which they have
// too where nobody says how many there are. Nothing where they are kept apart and the build chooses
// their number.
std::optional<std::int64_t> slots_apart(const ServeSpec& serve);

}  // namespace sx::rules
