// getrandom never gives less than asked for so few bytes.
#include "run/new_mark.h"

#include <sys/random.h>

#include <array>

#include "base/check.h"
#include "sys/hexadecimal.h"

namespace sx {

std::string new_mark() {
  std::array<unsigned char, 16> bytes{};
  SX_ASSERT(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return hexadecimal(bytes);
}

}  // namespace sx
