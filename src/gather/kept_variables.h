// Which variables of a whole environment matter to a launch, and which values are nobody's
// business.
#pragma once

#include <string_view>

namespace sx {

// An engine, the driver, a collective library or the model hub reads it.
bool concerns_engines(std::string_view name);

// By its name the value is a key, a token or a password: it is not read further than here.
bool looks_secret(std::string_view name);

}  // namespace sx
