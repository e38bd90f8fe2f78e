// Whether two failures of one log are two, or one that is felt in two places. Decided by where they
// happened (kernel and GPU, replica, process), by when, and by what may follow from what.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "logs/candidates.h"

namespace sx {

// Where something was said.
struct Home {
  bool kernel = false;
  std::string_view gpu;  // of a kernel line: its PCI address; empty: not told
  int file = 0;
  int replica = -1;          // "EngineCore_DP1", "DP1 TP0"; -1: the line does not say
  std::string_view process;  // empty: the line does not say
  int rank = -1;
  bool operator==(const Home&) const = default;
};

struct Placed {
  const CauseCandidate* candidate = nullptr;
  Home home;
};
// The nearest to the root first.
std::vector<Placed> placed(const std::vector<CauseCandidate>& all);

// Files that hold a start of an engine: a launch each.
std::set<int> files_with_start(const RunLog& run);

// `other` stands on its own beside the answer. In doubt it does not.
bool independent(const Placed& answer, const Placed& other, const std::set<int>& own_start);

}  // namespace sx
