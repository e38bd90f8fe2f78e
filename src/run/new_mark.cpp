// getrandom never gives less than asked for so few bytes.
#include "run/new_mark.h"

#include <sys/random.h>

#include <array>

#include "base/check.h"

namespace sx {

std::string new_mark() {
  std::array<unsigned char, 16> bytes{};
  SX_ASSERT(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string mark;
  for (const unsigned char byte : bytes) {
    mark += kDigits[byte >> 4U];
    mark += kDigits[byte & 15U];
  }
  return mark;
}

}  // namespace sx
