// How much memory one more process may take here, and how much some processes hold that goes with
// them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "sys/files.h"

namespace sx {

// What the machine can give, and every control group above us still allows; caches that give way
// count as free. Empty: the machine does not tell.
std::optional<Bytes> memory_room(const Files& files);

// Without what is only mapped from files. Empty: of one of them it cannot be read.
std::optional<Bytes> held_memory(const Files& files, const std::vector<pid_t>& processes);

}  // namespace sx
