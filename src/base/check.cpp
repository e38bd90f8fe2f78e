// The one place below `cli` that writes to stderr: a bug of ours has no other way to be heard.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace sx {

void assertion_broken(const char* condition, std::source_location where) {
  std::fprintf(stderr, "sextant: bug at %s:%u: %s\n", where.file_name(),
               static_cast<unsigned>(where.line()), condition);
  std::abort();
}

}  // namespace sx
