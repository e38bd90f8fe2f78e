// Names one after another, as each language sets them off.
#pragma once

#include <string>
#include <vector>

#include "base/both.h"
#include "base/strings.h"

namespace sx {

// "a, b, c" and "a、b、c".
inline Both listed(const std::vector<std::string>& names) {
  return {join(names, ", "), join(names, "、")};
}

inline Both listed(const std::vector<int>& numbers) {
  return {join(numbers, ", "), join(numbers, "、")};
}

}  // namespace sx
