// A clause in both languages that was put together at run time; sentences that stand in the source
// are `Text`.
#pragma once

#include <string>

namespace sx {

struct Both {
  std::string english, chinese;
  bool empty() const { return english.empty(); }
};

}  // namespace sx
