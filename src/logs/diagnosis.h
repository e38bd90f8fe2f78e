// From what was read of a run to what it failed of: one cause with its line and its evidence, or
// none. More than one only where they are independent.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "logs/run_log.h"

namespace sx {

struct FoundCause {
  std::string_view name;  // of data/causes/causes.tsv
  Certainty certainty = Certainty::Likely;
  LogEvent root;                   // the line that says it
  std::vector<LogEvent> evidence;  // lines that speak for this reading of it
  std::uint64_t echoes = 0;        // lines that only pass it on
  std::vector<int> ranks;          // that failed of it, in order
  bool earlier = false;            // an earlier start in the same file failed of it
};

struct Diagnosis {
  std::vector<FoundCause> causes;  // the first is the answer
  bool healthy = false;            // it came to serve, and nothing is wrong
};

Diagnosis diagnose(const RunLog& run);

}  // namespace sx
