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

// The same within so many cells: columns that would stand beyond them go on a line below, as far to
// the right as the column `under` begins, and a row with nothing in them has no such line. One
// column alone may be wider.
std::string table_within(const std::vector<std::vector<std::string>>& rows,
                         const std::vector<Align>& align, std::size_t indent, std::size_t width,
                         std::size_t under = 1);

}  // namespace sx
