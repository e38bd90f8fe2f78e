// The command of a run as its own log tells it: engines write down what they were started with.
#pragma once

#include <string>
#include <vector>

#include "logs/run_log.h"

namespace sx {

// Words of a launch that means the same; empty when the log does not tell, or cannot be read.
std::vector<std::string> logged_command(const RunLog& run);

}  // namespace sx
