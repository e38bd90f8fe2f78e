// The command line again, from the settings that an engine says it was started with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "read/python_values.h"

namespace sx {

struct LaunchWords {
  std::vector<std::string> words;     // empty: the engine has no command line that is known here
  std::vector<std::string> left_out;  // settings that no flag stands for; never a secret
};

// Settings at their default are left away: an engine may print all of them.
LaunchWords launch_words(std::string_view engine, const PythonSettings& settings);

}  // namespace sx
