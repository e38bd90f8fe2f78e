// Files that hold the keys of a launch, and whether every account of this machine may read them.
#pragma once

#include <vector>

#include "base/source.h"
#include "gather/gather_command.h"

namespace sx {

// Of a launch on this machine: key files that its flags name, files of variables that hold a
// secret, and the hub's stored token. Files whose permissions cannot be seen are not among them.
std::vector<SecretFile> secret_files(const Launch& launch, const Sources& sources,
                                     const Outside& outside);

}  // namespace sx
