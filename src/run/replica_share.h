// How much of the gateway's work a replica is given.
#pragma once

#include <vector>

#include "base/result.h"
#include "facts/serve_spec.h"
#include "run/deployment.h"

namespace sx {

// Requests that the launch works on at a time, as its flags say; what comes on top waits in its own
// queue, where nobody knows of places and priorities. 0: they do not say.
int works_on_at_a_time(const ServeSpec& serve);

// One for all replicas, or one for each. Usage: neither.
Result<void> give_weights(DeployedLayout& layout, const std::vector<int>& weights);

}  // namespace sx
