// The lines of a file that a fix changes, old and new, for people who edit that file.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "diag/diagnostic.h"

namespace sx {

struct ChangedLine {
  bool added = false;  // false: goes
  int number = 0;      // 1-based, in the text before or after
  std::string text;    // without its line end
};

// In the order of the file, the old lines of each place in front of its new ones. Empty where the
// edits do not lie in one source.
std::vector<ChangedLine> changed_lines(const std::vector<Edit>& edits, const Sources& sources);

// As `12 - old` and `12 + new`, numbers aligned, one line each.
std::string as_diff(const std::vector<ChangedLine>& lines);

}  // namespace sx
