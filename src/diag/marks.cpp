// Marks are drawn as rustc draws them: readers know the picture.
#include "diag/marks.h"

#include <algorithm>

#include "text/columns.h"
#include "text/wrap.h"

namespace sx {
namespace {

constexpr std::size_t kRoomBeside = 24;  // cells; a sentence in less than that is a column of words
constexpr std::size_t kRoomBelow = 40;

class Drawing {
 public:
  Drawing(std::vector<Mark> marks, std::size_t cells, Paint primary)
      : marks_(std::move(marks)), cells_(cells), primary_(primary) {}

  std::vector<Row> rows() {
    std::ranges::sort(marks_, [](const Mark& a, const Mark& b) {
      if (a.cells.begin != b.cells.begin) return a.cells.begin < b.cells.begin;
      return a.primary < b.primary;
    });
    draw_underlines();
    for (const Mark& mark : marks_) {
      if (!mark.text.empty()) hanging_.push_back(&mark);
    }
    const std::size_t with_text = hanging_.size();
    draw_beside();
    const bool something_written = hanging_.size() < with_text;
    const bool needs_connectors = hanging_.size() > 1 || (something_written && !hanging_.empty());
    if (needs_connectors && rows_.size() == 1) rows_.push_back(connectors(std::string::npos));
    while (!hanging_.empty()) draw_below();
    return std::move(rows_);
  }

 private:
  Paint paint(const Mark& mark) const { return mark.primary ? primary_ : Paint::SecondMark; }

  // A primary mark hides a secondary one where they overlap.
  void draw_underlines() {
    std::size_t end = 0;
    for (const Mark& mark : marks_) end = std::max(end, mark.cells.end);
    std::string line(end, ' ');
    for (const bool primary : {false, true}) {
      for (const Mark& mark : marks_) {
        if (mark.primary != primary) continue;
        std::fill(line.begin() + static_cast<std::ptrdiff_t>(mark.cells.begin),
                  line.begin() + static_cast<std::ptrdiff_t>(mark.cells.end), primary ? '^' : '-');
      }
    }
    Row row;
    for (std::size_t at = 0; at < line.size();) {
      std::size_t next = line.find_first_not_of(line[at], at);
      if (next == std::string::npos) next = line.size();
      const bool blank = line[at] == ' ';
      const Paint colour = line[at] == '^' ? primary_ : Paint::SecondMark;
      if (!blank) row.push_back({.cell = at, .text = line.substr(at, next - at), .paint = colour});
      at = next;
    }
    rows_.push_back(std::move(row));
  }

  // Only the last mark can have its text beside it, and only when no other mark reaches beyond.
  void draw_beside() {
    if (hanging_.empty() || hanging_.back() != &marks_.back()) return;
    const Mark& mark = *hanging_.back();
    for (const Mark& other : marks_) {
      if (other.cells.end > mark.cells.end) return;
    }
    const std::size_t start = mark.cells.end + 1;
    const std::size_t room = cells_ > start ? cells_ - start : 0;
    const std::vector<std::string> lines = wrapped(mark.text, room);
    const auto fits = [room](const std::string& line) { return columns(line) <= room; };
    if (!std::ranges::all_of(lines, fits) || (lines.size() > 1 && room < kRoomBeside)) return;
    hanging_.pop_back();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) rows_.push_back(connectors(start));
      rows_.back().push_back({.cell = start, .text = lines[i], .paint = paint(mark)});
    }
  }

  // The `|` of the texts that are still to come, as far as they stand left of a cell.
  Row connectors(std::size_t before) const {
    Row row;
    for (const Mark* mark : hanging_) {
      const bool twice = !row.empty() && row.back().cell == mark->cells.begin;
      if (twice || mark->cells.begin >= before) continue;
      row.push_back({.cell = mark->cells.begin, .text = "|", .paint = paint(*mark)});
    }
    return row;
  }

  void draw_below() {
    const Mark& mark = *hanging_.back();
    hanging_.pop_back();
    std::size_t start = mark.cells.begin;
    const std::size_t least = std::min(columns(mark.text), kRoomBelow);
    if (start + least > cells_) start = cells_ > least ? cells_ - least : 0;
    for (std::string& line : wrapped(mark.text, cells_ - std::min(start, cells_))) {
      Row row = connectors(start);
      row.push_back({.cell = start, .text = std::move(line), .paint = paint(mark)});
      rows_.push_back(std::move(row));
    }
  }

  std::vector<Mark> marks_;
  std::size_t cells_;
  Paint primary_;
  std::vector<const Mark*> hanging_;  // marks whose text is not yet written, from left to right
  std::vector<Row> rows_;
};

}  // namespace

std::string painted(const Row& row, const Painter& painter) {
  std::string out;
  std::size_t at = 0;
  for (const Segment& segment : row) {
    if (segment.cell > at) out.append(segment.cell - at, ' ');
    out += painter(segment.paint, segment.text);
    at = std::max(at, segment.cell) + columns(segment.text);
  }
  return out;
}

std::vector<Row> rows_under(std::vector<Mark> marks, std::size_t cells, Paint primary) {
  if (marks.empty()) return {};
  return Drawing(std::move(marks), cells, primary).rows();
}

}  // namespace sx
