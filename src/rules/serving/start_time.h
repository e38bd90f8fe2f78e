// How long a launch takes from its first process to its first answer.
#pragma once

#include <optional>

#include "base/bytes.h"
#include "facts/case.h"
#include "knowledge/constants.h"

namespace sx::rules {

struct TimeBand {
  double low = 0, mid = 0, high = 0;  // seconds
};

struct StartTime {
  TimeBand whole;
  std::optional<Bytes> weights;  // empty: their size is not known, and loading is not counted
  Constant rate, rest;           // GiB/s of loading; seconds of everything else
};

// Empty: nothing is known of the engine's start.
std::optional<StartTime> start_time_of(const Case& c);

}  // namespace sx::rules
