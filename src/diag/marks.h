// The rows under a line of the user's text: carets, and what they mean.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diag/shown_line.h"
#include "text/paint.h"

namespace sx {

struct Mark {
  Range cells;
  bool primary = false;
  std::string text;  // printable; may be empty
};

// One row as painted pieces at cells.
struct Segment {
  std::size_t cell = 0;
  std::string text;
  Paint paint = Paint::Plain;
};
using Row = std::vector<Segment>;

std::string painted(const Row& row, const Painter& painter);

// The text of the rightmost mark stands beside it, wrapped; the texts of the others hang below
// their marks, the right one first, so that no line crosses another. `primary` paints the `^`.
std::vector<Row> rows_under(std::vector<Mark> marks, std::size_t cells, Paint primary);

}  // namespace sx
