// The command line again, from the settings that an engine says it was started with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "logs/memory_log.h"

namespace sx {

struct LaunchWords {
  std::vector<std::string> words;     // empty: the engine has no command line that is known here
  std::vector<std::string> left_out;  // settings that no flag stands for; never a secret
};

// Settings at their default are left away where the engine printed all of them.
LaunchWords launch_words(const MemoryLog& log);

}  // namespace sx
