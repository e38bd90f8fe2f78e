// What yaml-cpp found wrong with a text, in words of ours and in both languages.
#pragma once

#include <string_view>

#include "base/both.h"

namespace sx {

// `found` is yaml-cpp's own sentence. One that is not known here is quoted.
Both yaml_fault(std::string_view found);

}  // namespace sx
