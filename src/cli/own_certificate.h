// Whom a command trusts that speaks to the address of a deployment on this machine.
#pragma once

#include "run/state_folder.h"
#include "sys/files.h"
#include "sys/tls.h"

namespace sx {

// Known by its very certificate: its name is that of the outside, and whoever vouches for it may be
// known to clients alone.
TlsTrust own_certificate(const StateFolder& folder, const Files& files);

}  // namespace sx
