// Where spans are sent: whether such an address can be one, as the deployment file and the flag
// have it.
#pragma once

#include <string_view>

#include "base/result.h"

namespace sx {

// http://HOST:PORT or https://HOST:PORT, with a path or without. Usage: what it cannot be reached
// by. A user and a password are not shown again.
Result<void> otlp_address_is_good(std::string_view url);

}  // namespace sx
