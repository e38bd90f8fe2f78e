// The time of day. It may jump: what is measured is measured with a steady clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace sx {

inline std::chrono::milliseconds since_1970() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}
inline std::int64_t unix_ms() { return since_1970().count(); }

}  // namespace sx
