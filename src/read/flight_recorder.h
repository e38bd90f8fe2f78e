// A dump of torch's flight recorder in its JSON form: the collectives that one rank gave to its GPU
// last, group by group, with their sizes and how far each came. The pickled form is only told by
// its first bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "read/log_place.h"

namespace sx {

struct FlightEntry {
  enum class State { Scheduled, Started, Completed };
  std::size_t group = 0;       // of the dump
  std::int64_t sequence = -1;  // of the collective in its group
  std::string operation;       // "all_reduce"
  std::string sizes;           // "[4096, 8192]"; of several tensors: "[2, 4], [2, 4]"; empty: none
  std::string dtype;           // "BFloat16"; empty: not told
  State state = State::Scheduled;
  std::string caller;  // "all_reduce (parallel_state.py:412)"; empty: not told
  std::string text;    // the bytes of the entry, cut to a bounded length
  std::uint64_t line = 1;
};

struct FlightGroup {
  std::string name;                            // "0", "tp"
  std::string description;                     // "default_pg"; empty: not told
  std::vector<int> ranks;                      // global; empty: not told
  std::int64_t enqueued = -1, completed = -1;  // the last collective; -1: none, or not told
};

struct FlightDump {
  std::string name;  // of the file
  int file = 0;
  int rank = -1;  // as far as the name of the file tells
  std::string version;
  std::vector<FlightGroup> groups;
  std::vector<FlightEntry> entries;  // not between two ranks alone, in order
  bool cut = false;                  // more than is kept
};

enum class FlightForm { None, Json, Pickle };
// What a file is by its first bytes; a few thousand of them are enough.
FlightForm flight_form(std::string_view begin);

// `name` may tell the rank.
Result<FlightDump> read_flight_dump(std::string_view text, std::string_view name);

}  // namespace sx
