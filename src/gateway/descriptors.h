// Descriptors of the gateway's process: what connections take of them, and room for all of them
// before the first client comes.
#pragma once

#include <cstddef>

namespace sx {

// Of a client whose request is with a replica.
inline constexpr std::size_t kDescriptorsOfClient = 2;
// For files, the daemon and a collector; where there are few, a quarter of all, and never less than
// the loop, its timers, the listener and the standard streams take.
inline constexpr std::size_t kDescriptorsOfOurs = 64;
inline constexpr std::size_t kLeastOfOurs = 16;

// As many as this process may have. The kernel's table of them grows to what `sessions` need at
// once: later, with threads beside the relay's, each doubling keeps whoever accepts a client for
// some 20 ms, and with it every stream. To be called before the first thread.
void take_all_descriptors(std::size_t sessions);

}  // namespace sx
