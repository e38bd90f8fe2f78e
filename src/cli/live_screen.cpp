// Up by as many rows as the old lines take now, then each line and the rest of its row.
#include "cli/live_screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "text/columns.h"

namespace sx {
namespace {

constexpr std::size_t kNarrowest = 20, kLowest = 6;  // below that a terminal is not read anyway

// Without the colours, which take no cells.
std::size_t cells_of(const std::string& line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '\x1b') {
      at = std::min(line.find('m', at), line.size() - 1) + 1;
    } else {
      plain += line[at++];
    }
  }
  return columns(plain);
}

}  // namespace

bool LiveScreen::possible(const Environment& environment) {
  const std::string kind = environment.get("TERM").value_or("");
  return !kind.empty() && kind != "dumb" && ::isatty(STDOUT_FILENO) == 1;
}

LiveScreen::Size LiveScreen::size() const {
  winsize told{};
  Size size;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &told) != 0) return size;
  if (told.ws_col > 0) size.width = std::max<std::size_t>(told.ws_col, kNarrowest);
  if (told.ws_row > 0) size.height = std::max<std::size_t>(told.ws_row, kLowest);
  return size;
}

void LiveScreen::draw(const std::vector<std::string>& lines) {
  const std::size_t width = size().width;
  std::string text;
  // A terminal that became narrower has broken the old lines into more rows.
  std::size_t rows = 0;
  for (const std::size_t cells : drawn_)
    rows += std::max<std::size_t>(1, (cells + width - 1) / width);
  if (rows > 0) text += "\x1b[" + std::to_string(rows) + 'A';
  text += '\r';
  drawn_.clear();
  std::string shown;
  for (const std::string& line : lines) {
    shown += line + "\x1b[K\r\n";
    drawn_.push_back(cells_of(line));
  }
  shown += "\x1b[J";
  if (shown == last_ && rows == lines.size()) return;  // nothing moved, nothing to draw
  last_ = shown;
  output_.answer(text + shown);
}

}  // namespace sx
