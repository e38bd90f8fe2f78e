// A case whose command was changed: what stands around it is read again where the change was there.
#pragma once

#include "facts/case.h"

namespace sx {

// Reads Command::front of a docker line again, and the host as it is seen from there.
void look_around_again(Case& c);

}  // namespace sx
