// Files that the flags of a launch name and that are not on this machine.
#pragma once

#include <vector>

#include "gather/gather_command.h"

namespace sx {

// Of a launch on this machine, outside of containers; what may be a template's own text, a name
// that the engine knows or a file that may not be looked at is not among them.
std::vector<AbsentFile> absent_files(const Launch& launch, const Outside& outside);

}  // namespace sx
