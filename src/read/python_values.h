// Settings as Python programs print them: {'a': 1, 'b': ['x']} and Namespace(a=1, b='x').
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sx {

struct PythonValue {
  enum class Kind {
    None,
    True,
    False,
    Number,
    Text,
    List,   // of simple values; a tuple is one too
    Json,   // a dictionary, as JSON text
    Other,  // anything else, as it stands: <Mode.NONE: 0>, Config(…)
  };
  Kind kind = Kind::None;
  std::string text;                // of Number, Text, Json, Other
  std::vector<std::string> items;  // of List
};

using PythonSettings = std::vector<std::pair<std::string, PythonValue>>;

// The dictionary or the call that the text begins with; what stands behind it does not matter.
// Damaged when it does not end, TooLarge beyond 256 KiB, 2 000 entries or 32 levels.
Result<PythonSettings> parse_python_settings(std::string_view text);

}  // namespace sx
