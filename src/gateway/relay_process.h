// The gateway of a deployment as a process of its own.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace sx {

// Serves on the listening socket that is descriptor 3, with the routes of the state folder and of
// the daemon, when there is one, and the keys of its deployment. Ends when asked to, after a drain.
// The exit code: 0, or 2 when there is nothing to serve on.
int run_relay(const std::string& folder, std::function<void(const Error&)> trouble);

}  // namespace sx
