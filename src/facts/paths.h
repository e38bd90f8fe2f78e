// Paths as texts: what can only be one, and what lies under what.
#pragma once

#include <string_view>

namespace sx {

// Begins like a path, or has more parts than the name of a repository: no hub has it.
bool names_path(std::string_view text);

// OWNER/NAME of a hub, with or without a quantisation behind a colon; no file by its ending.
bool names_repository(std::string_view text);

// The path is the folder or lies in it; "/models" holds "/models/a" and not "/models2".
bool lies_under(std::string_view path, std::string_view folder);

}  // namespace sx
