// Flags that take a whole number, bounded on both sides.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "cli/arguments.h"

namespace sx {

struct NumberFlag {
  std::string_view flag;
  std::int64_t least = 0, most = 0;
};

// Empty: it is not there. Usage: it is no whole number, or outside its bounds.
Result<std::optional<std::int64_t>> number_of(const Arguments& arguments, const NumberFlag& flag);
Result<int> number_or(const Arguments& arguments, const NumberFlag& flag, int otherwise);

}  // namespace sx
