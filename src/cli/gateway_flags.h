// What `gateway` and `route` have in common: backends, other names, waits.
#pragma once

#include <vector>

#include "cli/arguments.h"
#include "gateway/front.h"

namespace sx {

std::vector<FlagSpec> front_flags();  // their rows of the table

// Only what those flags say. Usage: what one of them takes.
Result<FrontAsk> front_ask(const Arguments& arguments);

}  // namespace sx
