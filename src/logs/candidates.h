// The lines of a run that may be what it failed of, each read in its place, with its distance from
// the root.
#pragma once

#include <vector>

#include "logs/refine.h"
#include "logs/run_log.h"

namespace sx {

struct CauseCandidate {
  const LogEvent* event = nullptr;  // of the run
  Reading reading;
  int distance = 0;  // 0: the root itself
};

// From this distance on a line says that something failed, not what.
inline constexpr int kSaysOnlyThat = 40;

// What is over, was survived or belongs to an orderly end is left out.
std::vector<CauseCandidate> candidates(const RunLog& run);

bool stands_before(const LogPlace& a, const LogPlace& b);

// Nearer to the root, the first among equals.
bool nearer(const CauseCandidate& a, const CauseCandidate& b);

}  // namespace sx
