// This machine: the driver's library, /proc, /sys and the limits of this process.
#pragma once

#include "facts/host_spec.h"
#include "gather/outside.h"

namespace sx {

// Never fails: what cannot be asked is unknown, with the reason.
HostSpec live_host(const Outside& outside);

}  // namespace sx
