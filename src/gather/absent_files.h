// Files and folders that a launch names and that are not on this machine.
#pragma once

#include <vector>

#include "facts/model_spec.h"
#include "gather/gather_command.h"

namespace sx {

// Only where the launch's own folders can be seen from here (gather/launch_place.h); what may be a
// template's own text, a name that the engine knows, a repository or a file that may not be looked
// at is not among them.
std::vector<AbsentFile> absent_files(const Launch& launch, const ModelSpec& model,
                                     const Sources& sources, const Outside& outside);

}  // namespace sx
