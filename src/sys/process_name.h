// A process's name as it can stand in a sentence: it may be any bytes, and the kernel cuts it in
// the middle of a letter.
#pragma once

#include <string>
#include <string_view>

namespace sx {

// At most 64 letters of valid UTF-8; what is none, and what moves a terminal's cursor, is '?'.
std::string shown_process_name(std::string_view name);

}  // namespace sx
