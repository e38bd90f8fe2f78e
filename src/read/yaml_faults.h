// What yaml-cpp found wrong with a text, in words of ours and in both languages.
#pragma once

#include <string_view>

#include "base/both.h"

namespace sx {

// `found` is yaml-cpp's own sentence. One that is not known here is quoted.
Both yaml_fault(std::string_view found);

// A carriage return that no line feed follows. YAML takes it for the end of a line, and no other
// reader of such files counts it as one, so places would be wrong.
bool ends_lines_alone(std::string_view text);
Both lone_return_fault();

}  // namespace sx
