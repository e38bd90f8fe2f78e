// Which GPUs form the tensor groups of a launch: every group as well linked as can be, the weakest
// of them first.
#pragma once

#include <optional>
#include <vector>

#include "facts/host_spec.h"

namespace sx {

// `count` groups of `size` GPUs out of `among`, host numbers: strongest weakest pair of any group,
// then of all groups together, then the sum over all pairs, then fewest NUMA nodes, then lowest
// numbers. Groups and their members ascend. Empty when links are unknown or there are not enough
// GPUs. Exact up to eight GPUs and for the sizes that larger hosts use; else as good as one group
// after the other gets.
std::optional<std::vector<std::vector<int>>> best_groups(const HostSpec& host, int count, int size,
                                                         const std::vector<int>& among);

}  // namespace sx
