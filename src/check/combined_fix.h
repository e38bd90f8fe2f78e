// The fixes of all findings together, as one command.
#pragma once

#include <vector>

#include "check/fix_trials.h"

namespace sx {

// The best fix of one finding.
struct FirstFix {
  std::vector<Change> changes;
  Severity severity;
  Fix fix;
  bool own_edits = false;
};

// Empty: there is no such command, or it is the one that a finding shows already.
Fix combined_fix(FixTrials& trials, const std::vector<FirstFix>& first_fixes);

}  // namespace sx
