// Needs that ask for the condition of a machine: what only the machine itself, or a text of it, can
// tell.
#pragma once

#include "facts/need.h"

namespace sx {

// Of HostDriver, HostErrors and the others down to HostInterfaces; false for any other need.
bool condition_met(Need need, const Case& c);

}  // namespace sx
