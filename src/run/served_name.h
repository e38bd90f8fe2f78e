// Names by which requests may ask for a model.
#pragma once

#include <cstddef>
#include <string_view>

namespace sx {

constexpr std::size_t kMostServedName = 512;  // bytes, as the gateway's table of routes takes them

// One line of UTF-8 that is not empty and not longer: others would have the gateway refuse the
// whole table.
bool is_served_name(std::string_view name);

}  // namespace sx
