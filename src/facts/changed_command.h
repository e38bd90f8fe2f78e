// A command with some changes, where nobody asks what becomes of the user's own text.
#pragma once

#include <optional>
#include <span>

#include "facts/edit_command.h"

namespace sx {

// The command of `edit_command`; nothing when the engine has no flag for a change.
std::optional<Command> changed_command(const Command& command, const ServeSpec& serve,
                                       std::span<const Change> changes);

}  // namespace sx
