// Changes of what starts the container: options of a docker line. Empty where the launch stands on
// no such line, as in a manifest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/case.h"
#include "facts/container_line.h"
#include "facts/edit_command.h"

namespace sx {

// The line of `docker run` and its like; nothing for exec and for launches without one.
std::optional<ContainerLine> run_line(const Command& command);

// Where the option stands, or in front of the image.
std::vector<Change> set_container_option(const Command& command, std::string_view name,
                                         const std::string& value);
// Another value of this very option.
Change change_container_option(const Command& command, const ContainerOption& option,
                               const std::string& value);

// Several ranks talk through /dev/shm, and a container that was told nothing has little of it: the
// host's. Empty where it was told.
std::vector<Change> shared_memory_for_ranks(const Case& c);

// Hands in so many GPUs of the machine, those that are handed in already among them.
std::vector<Change> hand_in_gpus(const Case& c, int wanted);

}  // namespace sx
