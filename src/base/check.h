// Assertions that stay on in release builds: a broken promise of our own code, never the user's
// mistake.
#pragma once

#include <source_location>

namespace sx {

// Writes one line with the place to stderr and ends the process. Used by SX_ASSERT alone.
[[noreturn]] void assertion_broken(const char* condition,
                                   std::source_location where = std::source_location::current());

}  // namespace sx

#define SX_ASSERT(condition)                              \
  do {                                                    \
    if (!(condition)) ::sx::assertion_broken(#condition); \
  } while (false)

#define SX_UNREACHABLE(why) ::sx::assertion_broken("unreachable: " why)
