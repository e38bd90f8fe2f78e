// What torch's watchdog and its flight recorder say of collectives that did not end: which one each
// rank waited for, with what sizes, called from where, and how far each had come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/log_place.h"

namespace sx {

struct CollectiveWait {
  int rank = -1;
  std::string group;            // "2"; empty: not told
  std::int64_t sequence = -1;   // of the operation that timed out
  std::string operation;        // "ALLREDUCE"
  std::int64_t values_in = -1;  // of the tensor that this rank gave; -1: not told
  std::int64_t values_out = -1;
  std::string caller;              // "forward (parallel_state.py:412)"; empty: not told
  std::int64_t enqueued = -1;      // the last one that this rank gave to its GPU
  std::int64_t completed = -1;     // the last one that its GPU finished
  std::int64_t milliseconds = -1;  // how long it waited
  std::string text;
  LineAt at;
};

class CollectiveLogReader {
 public:
  enum class Taken { No, Yes, AndNext };  // the last: what it tells goes on in the next line
  Taken take(std::string_view line, int rank_of_line, LineAt at);
  const std::vector<CollectiveWait>& waits() const { return waits_; }

 private:
  CollectiveWait* wait_of(int rank, std::string_view group);
  bool frame(std::string_view line);
  std::vector<CollectiveWait> waits_;  // one for each rank and group
  int stack_of_ = -1;                  // rank whose stack is being read
};

}  // namespace sx
