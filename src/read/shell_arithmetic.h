// $((PORT + 1)): whole numbers, variables that are known, + - * / % from left to right by their
// rank.
#pragma once

#include <optional>
#include <string_view>

#include "read/shell_variables.h"

namespace sx {

// Nothing when it is anything else, overflows, or divides by zero.
std::optional<long long> arithmetic_value(std::string_view expression,
                                          const ShellVariables& variables);

}  // namespace sx
