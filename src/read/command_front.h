// What stands in front of a program: NAME=value, env, exec, nohup, numactl, conda run …
#pragma once

#include <optional>
#include <string_view>

#include "read/command.h"

namespace sx {

enum class LeadingAssignments { Taken, AreWords };

// Drops a shell's prompt that was copied along; it is no word of anybody's command. Moves wrappers
// from the front of `words` into `before`, and NAME=value words into `environment`: after `env` and
// `sudo` always, at the very front only where asked (argv; a shell has taken its own by then). A
// command that is a wrapper and nothing else stays as it is.
void take_front(Command& command, LeadingAssignments leading);

// Length of NAME in NAME=value, or nothing when it is not of this form.
std::optional<std::size_t> assigned_name_length(std::string_view word);

// The last part of a path: "env" of "/usr/bin/env".
std::string_view program_name(std::string_view word);

// A shell that runs a text or a file: "bash", "/bin/sh".
bool is_shell(std::string_view word);

}  // namespace sx
