// How long each stage of a start took, and what earlier starts of the same shape say about this
// one: how far it is, and how long it still takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/supervisor.h"

namespace sx {

struct StageTime {
  std::string stage;
  Moment took{0};
  bool operator==(const StageTime&) const = default;
};
using StartTimes = std::vector<StageTime>;  // in the order of the stages

// "begin:400 load:12000": as it lies in the journal. What cannot be read is left out.
std::string start_words(const StartTimes& times);
StartTimes read_start(std::string_view words);

// The start at hand. A stage that comes again counts with its first time.
class StartClock {
 public:
  explicit StartClock(Moment began);
  void reached(const std::string& stage, Moment now);
  StartTimes until(Moment now) const;
  const std::string& stage() const { return stages_.back().stage; }
  Moment in_stage(Moment now) const { return now - since_; }
  // What has been told of it goes forward only: `percent`, or more where more was told before.
  int furthest(int percent);

 private:
  StartTimes stages_;  // ended ones, then the one at hand with no time yet
  Moment since_;       // of the one at hand
  int furthest_ = 0;   // percent
};

struct Outlook {
  int percent = 0;  // of the whole start; 99 at most while it lasts
  Moment left{0};
};

// Empty where no start of this shape was seen. `stage_percent`: of the stage at hand, as its own
// log tells; -1: it does not.
std::optional<Outlook> outlook(const std::vector<StartTimes>& earlier, StartClock& clock,
                               int stage_percent, Moment now);

}  // namespace sx
