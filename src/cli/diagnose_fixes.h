// Ways out as whole commands, where the command of the run is known: each has been asked of all
// rules again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/diagnose_answer.h"
#include "facts/case.h"

namespace sx {

void add_fixes(DiagnoseAnswer& answer, const Case& c, Language language);

// The launch with a change in the words of a fix, as a whole command without secrets; nothing where
// the change does not suit it or brings a new error.
std::optional<std::string> launch_with(std::string_view change, const Case& c);

}  // namespace sx
