// What NCCL's account of a group comes to: who is in, who is missing, over what its pairs talk.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "read/collective_log.h"
#include "read/nccl_log.h"

namespace sx {

struct NcclWay {
  std::string how;
  std::vector<std::pair<int, int>> pairs;  // of ranks, the lower first, each once
};

struct NcclVerdict {
  const NcclGroup* group = nullptr;
  int joined = 0;
  std::vector<int> unfinished;  // began, and nothing says that they finished
  std::vector<int> absent;      // never began, as far as the logs at hand tell
  std::vector<NcclWay> ways;
  bool whole() const { return unfinished.empty() && absent.empty(); }
};

// The unfinished first, then the largest. Views into the log.
std::vector<NcclVerdict> verdicts_of(const NcclLog& log);

// "0-3, 5, 7-9"; at most a dozen runs, then "…".
std::string rank_list(std::vector<int> ranks);

// Ranks that are behind the others: they gave fewer collectives to their GPUs, or say nothing while
// the others time out. `size` is that of the group; 0: unknown.
struct CollectiveVerdict {
  std::vector<int> waiting, behind, silent;
  std::vector<std::pair<int, std::string>> unlike;  // rank, operation: not the same one everywhere
  const CollectiveWait* first = nullptr;            // the one with the lowest sequence
};
CollectiveVerdict verdict_of(const std::vector<CollectiveWait>& waits, const NcclLog& nccl);

}  // namespace sx
