// Whether launches of one file run at the same time.
#pragma once

#include "facts/case.h"

namespace sx::rules {

// The shell goes on to the next line while it runs: `&`, or a container that is detached.
bool in_background(const Command& command);

// The lines between two launches end the first one before the second comes: a benchmark that goes
// through settings.
bool ended_between(const Case& c, const Command& first, const Command& second);

}  // namespace sx::rules
