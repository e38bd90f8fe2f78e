// What stands in front of the words of a log line, one kind after another.
#pragma once

#include "read/log_line.h"

namespace sx {

// Takes one front off `line.text` and notes what it tells; false when none is known.
bool take_log_front(LogLine& line);

}  // namespace sx
