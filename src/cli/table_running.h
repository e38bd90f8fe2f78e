// The part of the table of commands that is about running deployments.
#pragma once

#include <vector>

#include "cli/arguments.h"

namespace sx {

// In the order of help: behind what is there.
void add_running_commands(std::vector<CommandSpec>& table);

}  // namespace sx
