// The host as a launch sees it from inside a container.
#pragma once

#include "facts/host_spec.h"
#include "facts/surroundings.h"

namespace sx {

// True: the launch sees something else than the whole host.
bool sees_less(const Surroundings& around);

// GPUs handed in are numbered from zero, /dev/shm and the limits are the container's, with the
// places that say so. What nobody said and no default tells is unknown. Without a word about GPUs
// they are taken to be all there: a runtime may be set up to hand them in.
HostSpec seen_host(const HostSpec& whole, const Surroundings& around);

}  // namespace sx
