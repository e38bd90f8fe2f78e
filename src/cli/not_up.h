// What commands say that need a deployment and could do with something else.
#pragma once

#include <string>

#include "cli/commands.h"

namespace sx {

// Says that the deployment is not up, or that there is none, and behind it `instead`; the exit code
// that goes with it.
int said_not_up(const std::string& name, const Text& instead, Session& session, Language language);

}  // namespace sx
