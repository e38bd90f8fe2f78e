// One launch with everything there is to say about it; for `check` and for the casebook that tests
// it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/render.h"
#include "facts/case.h"
#include "gather/gather_case.h"

namespace sx {

// `why`: the memory of each GPU as well, its table in the language. `allowed`: codes of findings
// that are known and wanted.
LaunchAnswer answer_of(const Case& c, bool why, Language language,
                       std::vector<std::string> allowed = {});
// The same, and for an engine that is only recognised the nearest launch of one that is checked.
LaunchAnswer answer_of(const GatheredCases& all, const Case& c, bool why, Language language,
                       std::vector<std::string> allowed = {});

// A command without errors: as it is, by all fixes together, or by one that clears everything.
// Empty: there is none. Errors of the codes in `allowed` are none.
std::optional<std::string> corrected(const Outcome& outcome, const Case& c,
                                     const std::vector<std::string>& allowed = {});

// The texts of all launches as an answer may show them: without their keys and tokens.
Sources shown_sources(const Sources& sources, std::span<const Case> launches);

}  // namespace sx
