// The rows of the table of commands, by when a person needs them.
#pragma once

#include <vector>

#include "cli/arguments.h"

namespace sx {

void add_commands_before(std::vector<CommandSpec>& table);   // it runs: check, fix, plan, inspect …
void add_running_commands(std::vector<CommandSpec>& table);  // while it runs: up, status, logs …
void add_commands_after(std::vector<CommandSpec>& table);    // it failed: diagnose, explain, learn
void add_gateway_commands(std::vector<CommandSpec>& table);  // gateway, route, keys

// Flags of several commands.
FlagSpec format_flag();
FlagSpec no_learned_flag();
FlagSpec name_flag();  // of a deployment
std::vector<FlagSpec> machine_flags();

}  // namespace sx
