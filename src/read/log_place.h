// Where a line stands in the logs of one run.
#pragma once

#include <cstdint>

namespace sx {

struct LineAt {
  int file = 0;
  std::uint64_t line = 0;  // 1-based; 0: nowhere
  bool operator==(const LineAt&) const = default;
};

}  // namespace sx
