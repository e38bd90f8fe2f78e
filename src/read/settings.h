// Which of several settings of one name a program sees.
#pragma once

#include <span>
#include <string_view>

#include "read/command.h"

namespace sx {

// The last of that name, as in a shell; null without one. Whether it is complete is for the caller
// to ask: an earlier one no longer counts either way.
const Setting* last_setting(std::span<const Setting> environment, std::string_view name);

}  // namespace sx
