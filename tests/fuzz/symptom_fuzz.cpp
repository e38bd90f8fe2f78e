// Any bytes as a pasted log line: no crash, each row at most once, and what is typical for a row
// still finds it when the bytes stand around it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/strings.h"
#include "knowledge/symptoms.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto found = sx::symptoms_in(text);
  std::ranges::sort(found);
  SX_ASSERT(std::ranges::adjacent_find(found) == found.end());

  constexpr std::size_t kAround = 1000;  // the end of a very long text is not read
  if (size == 0 || size > kAround) return 0;
  const auto all = sx::symptoms();
  const sx::SymptomRow& row = all[data[0] % all.size()];
  const std::string line = sx::replaced(row.lines.front(), "*", " ");
  const auto again = sx::symptoms_in(line + ' ' + std::string(text));
  SX_ASSERT(std::ranges::find(again, &row) != again.end());
  return 0;
}
