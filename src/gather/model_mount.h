// Folders of the host that a container sees under another path.
#pragma once

#include <string>

#include "facts/surroundings.h"
#include "gather/outside.h"

namespace sx {

// `~`, $HOME, $PWD and relative paths of the host become whole paths; these begin in `folder`.
void follow_mounts(Surroundings& around, const std::string& folder, const Outside& outside);

// A path of the launch as the host has it; the path itself where nothing is mounted over it.
std::string path_on_host(const Surroundings& around, const std::string& path);

// The mount that a path inside lies under; null: none.
const Mount* mount_over(const Surroundings& around, std::string_view path);

}  // namespace sx
