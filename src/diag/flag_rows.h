// A command that is too long for one line, as one flag a row.
#pragma once

#include <string_view>
#include <vector>

#include "diag/shown_line.h"

namespace sx {

// Bytes of each row: first everything before the first flag, then each flag with its values; blanks
// between rows belong to none. No flag: one row. Nothing but blanks: none.
std::vector<Range> flag_rows(std::string_view command);

}  // namespace sx
