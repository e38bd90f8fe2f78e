// Any bytes as a list of sums: no crash; every sum has 64 digits and a name, and stands in a line
// of the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "read/sums.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = sx::parse_sums(text);
  if (!file) return 0;
  SX_ASSERT(!file->sums.empty());
  int last = 0;
  for (const sx::Sum& sum : file->sums) {
    SX_ASSERT(sum.sha256 == sx::sha256_digits(sum.sha256) && !sum.name.empty());
    SX_ASSERT(sum.line > last);
    last = sum.line;
  }
  return 0;
}
