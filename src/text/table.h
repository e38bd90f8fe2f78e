// Aligned columns for the terminal.
#pragma once

#include <string>
#include <vector>

namespace sx {

enum class Align { Left, Right };

// Rows of cells; columns are as wide as their widest cell, two blanks between, no blanks at line
// ends. The first row may be a header. `indent` blanks before each line.
std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<Align>& align, std::size_t indent = 0);

}  // namespace sx
