// Files of NAME=value lines, as compose, systemd and Podman take them beside a launch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gather/outside.h"
#include "read/command.h"

namespace sx {

// Comments and `export` are taken off, and one pair of quotes around a value. At most 4096 lines.
std::vector<Setting> environment_lines(std::string_view text, int source);

// The lines of a file, which becomes a source of that name; an empty list when it cannot be read.
std::vector<Setting> environment_file(Sources& sources, const std::string& name,
                                      const std::string& path, const Outside& outside);

}  // namespace sx
