// The file in which this machine keeps what launches really took: one line of JSON a launch.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "facts/learned.h"
#include "gather/outside.h"

namespace sx {

// $XDG_DATA_HOME/sextant/learned.jsonl, else ~/.local/share/sextant/learned.jsonl; empty: there is
// no home.
std::string learned_path(const Environment& environment);

struct LearnedStore {
  std::vector<LearnedRun> runs;
  std::vector<std::string> other_lines;  // that cannot be read here: kept as they are
};

// Lines → runs; bytes from anywhere.
LearnedStore parse_learned(std::string_view text);
std::string to_line(const LearnedRun& run);

// Never fails: a file that is not there or cannot be read teaches nothing. At most 4 MiB are read.
std::vector<LearnedRun> read_learned(const Outside& outside);

// Adds the run, in place of an older one of the same key; the oldest go when there are more than
// 1 000. Lines that cannot be read stay. An error leaves the file as it was.
Result<std::string> save_learned(const LearnedRun& run, const Outside& outside);

}  // namespace sx
