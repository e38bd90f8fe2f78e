// One line of the user's text as it stands on the terminal, and where its bytes are there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sx {

// Half open. Of bytes or of cells, as the name of the variable says.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

struct ShownLine {
  std::string text;          // printable, at most so many cells as asked, without blanks at its end
  std::vector<Range> marks;  // cells of `text`, one for each range asked, each at least one cell
};

// A line that is too wide is cut to a window around the marks (around the first one when they do
// not all fit), with `...` at the cut ends; a mark outside the window is at the `...`. Costs as
// much as the window, not as much as the line.
ShownLine shown_line(std::string_view line, const std::vector<Range>& byte_marks,
                     std::size_t cells);

}  // namespace sx
