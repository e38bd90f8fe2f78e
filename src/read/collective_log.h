// What torch's watchdog and its flight recorder say of collectives that did not end: which one each
// rank waited for, and how far each had come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/log_place.h"

namespace sx {

struct CollectiveWait {
  int rank = -1;
  std::string group;               // "2"; empty: not told
  std::int64_t sequence = -1;      // of the operation that timed out
  std::string operation;           // "ALLREDUCE"
  std::int64_t enqueued = -1;      // the last one that this rank gave to its GPU
  std::int64_t completed = -1;     // the last one that its GPU finished
  std::int64_t milliseconds = -1;  // how long it waited
  std::string text;
  LineAt at;
};

class CollectiveLogReader {
 public:
  // Whether the line tells of a collective.
  bool take(std::string_view line, int rank_of_line, LineAt at);
  const std::vector<CollectiveWait>& waits() const { return waits_; }

 private:
  CollectiveWait* wait_of(int rank, std::string_view group);
  std::vector<CollectiveWait> waits_;  // one for each rank and group
};

}  // namespace sx
