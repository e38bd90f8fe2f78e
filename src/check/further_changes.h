// What is left to mend once a command has been changed: errors that remain, and warnings of rules
// that had to wait for an error. Each round takes the first proposal that leaves less wrong.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "check/rule_pass.h"

namespace sx {

// Whether another trial may be made: hostile launches have many.
using MayTry = std::function<bool()>;

// The case without errors; as far as it came where some stay. Nothing without a case to begin with.
std::optional<Case> without_errors(std::optional<Case> now, const Asking& asking,
                                   const MayTry& may_try);

struct Before {
  const std::set<std::string>& said;         // warnings of the first run, by code and subject
  const std::set<std::string_view>& waited;  // codes of rules that had to wait, or knew too little
};

// The case with fewer warnings that are new and that something cures without giving anything up.
// Nothing where there is no such warning.
std::optional<Case> without_new_warnings(std::optional<Case> now, const Asking& asking,
                                         const Before& before, const MayTry& may_try);

}  // namespace sx
