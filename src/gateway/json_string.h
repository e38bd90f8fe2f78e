// Where a JSON string ends, however many escapes are in it.
#pragma once

#include <cstddef>
#include <string_view>

namespace sx {

// The first quote at or behind `from` that no backslash escapes; npos: there is none. `from` is not
// itself behind a backslash.
std::size_t string_end(std::string_view text, std::size_t from);

}  // namespace sx
