// Asks all rules, keeps the fixes that stand, and orders what is to be said.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/rule.h"
#include "diag/outcome.h"

namespace sx {

// The same question with another command: the engine reads the changed words again. Spans of the
// new case are not for showing. Empty when the new words are no launch any more.
std::optional<Case> asked_again(const Case& c, std::span<const Change> changes);

// What every rule says of the case, with only those fixes that passed all rules again, in causal
// order, consequences held back and covered findings merged. Bounded: at most 200 diagnostics a
// case. `allowed` are codes of findings that the user knows and wants: nothing waits for them, and
// as errors they do not count.
Outcome run_rules(std::span<const Rule* const> rules, const Case& c,
                  std::vector<std::string> allowed = {});

// Its diagnostics alone, for who does not ask what could not be checked. `ordered`: rules in causal
// order already, as who asks often keeps them.
std::vector<Diagnostic> findings_of(std::span<const Rule* const> ordered, const Case& c);

// Whether anything at or above the severity is there.
bool any_at_least(const Outcome& outcome, Severity severity);

}  // namespace sx
