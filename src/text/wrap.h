// Breaking a sentence into lines of at most so many cells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sx {

// Breaks at blanks, and between Han characters where no blank is (never before closing or after
// opening punctuation). A word wider than the line stands alone on it. A number and its unit, and
// the groups of a long number, stay together. No text, no lines.
std::vector<std::string> wrapped(std::string_view text, std::size_t cells);

}  // namespace sx
