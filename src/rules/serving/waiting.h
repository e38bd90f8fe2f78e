// What a script does behind a launch: how long it waits before it asks the server.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "read/command.h"

namespace sx::rules {

struct FirstQuestion {
  double seconds = 0;  // the latest moment, counted from the launch
  Span question;       // the line that asks
  bool again = false;  // it asks several times and gives up then
};

// The first line behind the launch that asks this port of this machine. Nothing when none does, or
// how long the script waits until then cannot be read off it (`until`, `while`, a variable).
std::optional<FirstQuestion> first_question(const Sources& sources, const Command& launch,
                                            int port);

// Of `timeout 60 vllm serve`: 60. Nothing without one.
std::optional<double> time_limit(const std::vector<std::string>& before);

}  // namespace sx::rules
