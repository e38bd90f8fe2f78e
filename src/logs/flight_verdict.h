// What the dumps of several ranks come to, group by group: the collective that some wait for, who
// has not called it, and who called it otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "read/flight_recorder.h"

namespace sx {

struct FlightCall {
  const FlightDump* dump = nullptr;
  const FlightEntry* entry = nullptr;
};

struct FlightBehind {
  const FlightDump* dump = nullptr;
  std::int64_t last = -1;              // the last collective it gave to its GPU; -1: none
  const FlightEntry* entry = nullptr;  // of that one, or the last before; null: none is kept
};

struct FlightVerdict {
  std::string group;                 // its name
  std::string description;           // "default_pg"; empty: not told
  std::int64_t sequence = -1;        // of the first collective that is not finished
  std::vector<FlightCall> waiting;   // who gave it to the GPU, in the order of ranks
  std::vector<FlightBehind> behind;  // who has not come to it
  std::vector<int> absent;           // ranks of the group without a dump
  bool unlike = false;               // those that wait called unlike operations or sizes
  // All ranks of the group are here and wait for the same.
  bool together() const { return behind.empty() && absent.empty() && !unlike; }
};

// Only groups in which somebody waits, the most telling first. Views into the dumps.
std::vector<FlightVerdict> verdicts_of(const std::vector<FlightDump>& dumps);

// How a rank is called: its number, or the name of its file where that tells none.
std::string rank_word(const FlightDump& dump);
// "0-2, 5"; names of files behind the numbers.
std::string rank_words(const std::vector<const FlightDump*>& dumps);

}  // namespace sx
