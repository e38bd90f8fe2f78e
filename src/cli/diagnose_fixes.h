// Ways out as whole commands, where the command of the run is known: each has been asked of all
// rules again.
#pragma once

#include "cli/diagnose_answer.h"
#include "facts/case.h"

namespace sx {

void add_fixes(DiagnoseAnswer& answer, const Case& c, Language language);

}  // namespace sx
