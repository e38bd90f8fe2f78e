// What a flag of the command says, as a number or a word, for arithmetic that has a default where
// it says nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "facts/serve_spec.h"

namespace sx {

// Nothing: the flag is not used, or its value is no whole number or cannot be known here.
std::optional<std::int64_t> number_of(const ServeSpec& serve, std::string_view flag);

// In small letters; "" as above.
std::string word_of(const ServeSpec& serve, std::string_view flag);

}  // namespace sx
