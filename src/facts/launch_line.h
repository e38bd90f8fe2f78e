// A launch as one line that does the same when it is pasted into a shell.
#pragma once

#include <string>

#include "read/command.h"

namespace sx {

// With what the text around it decides: wrappers in front of it, and the variables exported earlier
// that concern an engine, the driver or a library. A word that is only a blank behind a backslash
// is nobody's and goes. What stands behind the launch is not in it: see `left_out`.
std::string launch_line(const Command& command);

// What of the text a pasted line does not do: "| tee serve.log", "> log 2>&1 &"; empty: nothing.
std::string left_out(const Command& command);

}  // namespace sx
