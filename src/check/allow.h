// Findings that a user knows and wants: left out of the answer with the user's reason, and said
// when they are not needed any more.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "check/rule.h"
#include "diag/outcome.h"

namespace sx {

struct Allowance {
  std::string code;     // "SX3108"
  std::string because;  // the user's words; never empty
};

// "SX3108=short prompts only", also by the rule's name. An error for a code that no rule has (with
// the nearest) and for a missing reason.
Result<Allowance> parse_allowance(std::string_view text, std::span<const Rule* const> rules);

// Comments of a file: `# sextant: allow SX3108 short prompts only`. An error names the line.
Result<std::vector<Allowance>> allowances_in(const Source& source,
                                             std::span<const Rule* const> rules);

// Moves what is allowed out of the findings. Where several launches share the allowances, one is
// unused when no launch needs it: the first outcome then says so.
void apply_allowances(std::span<Outcome* const> outcomes, const std::vector<Allowance>& allowances);

}  // namespace sx
