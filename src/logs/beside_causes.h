// Where the engine's own words name no cause, what stands beside them may: a rank that never
// joined, a rank that waits elsewhere than all others, transfers that never arrive.
#pragma once

#include "logs/beside.h"
#include "logs/diagnosis.h"

namespace sx {

// Adds a cause where there is none, and evidence to one that only says that ranks wait.
void add_beside(Diagnosis& diagnosis, const Beside& beside, const RunLog& run);

}  // namespace sx
