// One launch with everything there is to say about it; for `check` and for the casebook that tests
// it.
#pragma once

#include <span>

#include "diag/render.h"
#include "facts/case.h"

namespace sx {

// `why`: the memory of each GPU as well, its table in the language.
LaunchAnswer answer_of(const Case& c, bool why, Language language);

// The texts of all launches as an answer may show them: without their keys and tokens.
Sources shown_sources(const Sources& sources, std::span<const Case> launches);

}  // namespace sx
