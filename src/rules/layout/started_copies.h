// How many times the words in front of a launch start it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knowledge/launchers.h"

namespace sx::rules {

struct StartedCopies {
  const Launcher* launcher = nullptr;  // never null in an answer
  int count = 0;
};

// Nothing without a launcher, where it says no number, and where it asks for several machines: one
// copy on each may be meant.
std::optional<StartedCopies> started_copies(const std::vector<std::string>& before);

}  // namespace sx::rules
