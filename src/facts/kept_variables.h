// Which variables of a whole environment matter to a launch.
#pragma once

#include <string_view>

namespace sx {

// An engine, the driver, a collective library or the model hub reads it.
bool concerns_engines(std::string_view name);

}  // namespace sx
