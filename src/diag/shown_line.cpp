// Cells are counted glyph by glyph: a tab, a wide character or a broken byte before a mark moves
// it.
#include "diag/shown_line.h"

#include <algorithm>

#include "text/columns.h"

namespace sx {
namespace {

constexpr std::string_view kCut = "...";
constexpr std::size_t kBytesPerCell = 4;  // the longest UTF-8 sequence

struct Piece {
  std::size_t byte = 0;  // of the whole line
  std::size_t cell = 0;
  Glyph glyph;
};

// A stretch of the line as pieces, before it is cut to the width.
struct Stretch {
  std::vector<Piece> pieces;
  std::size_t cells = 0;
  bool cut_left = false;
  bool cut_right = false;
};

Range clamped(Range range, std::size_t size) {
  const std::size_t begin = std::min(range.begin, size);
  return {begin, std::clamp(range.end, begin, size)};
}

// What must be seen: all marks when they fit, otherwise the first.
Range focus_of(const std::vector<Range>& marks, std::size_t most) {
  if (marks.empty()) return {};
  Range all = marks.front();
  for (const Range& mark : marks) {
    all.begin = std::min(all.begin, mark.begin);
    all.end = std::max(all.end, mark.end);
  }
  if (all.size() <= most) return all;
  return {marks.front().begin, std::min(marks.front().end, marks.front().begin + most)};
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// The bytes that can reach the window, so that a line of a megabyte costs no more than a short one.
Stretch stretch_of(std::string_view line, const std::vector<Range>& marks, std::size_t cells) {
  const std::size_t reach = cells * kBytesPerCell;
  const Range focus = focus_of(marks, reach);
  std::size_t begin = focus.begin > reach ? focus.begin - reach : 0;
  for (int step = 0; step < 3 && begin > 0 && continues(line[begin]); ++step) ++begin;
  const std::size_t end = std::min(line.size(), focus.end + reach);
  Stretch out{.cut_left = begin > 0, .cut_right = false};
  std::size_t at = begin;
  while (at < end) {
    Piece piece{.byte = at, .cell = out.cells, .glyph = first_glyph(line.substr(at), out.cells)};
    out.cells += piece.glyph.cells;
    at += piece.glyph.bytes;
    out.pieces.push_back(std::move(piece));
  }
  out.cut_right = at < line.size();
  return out;
}

// The cell where a byte is; of the end of the stretch when it lies behind.
std::size_t cell_of(const Stretch& stretch, std::size_t byte) {
  const auto after = std::ranges::upper_bound(stretch.pieces, byte, {}, &Piece::byte);
  if (after == stretch.pieces.begin()) return 0;
  const Piece& piece = *(after - 1);
  return byte < piece.byte + piece.glyph.bytes ? piece.cell : piece.cell + piece.glyph.cells;
}

Range cells_of(const Stretch& stretch, Range bytes) {
  return {cell_of(stretch, bytes.begin), cell_of(stretch, bytes.end)};
}

// Which cells of the stretch are shown; the `...` come on top of them.
Range window_of(const Stretch& stretch, const std::vector<Range>& cell_marks, std::size_t cells) {
  if (!stretch.cut_left && !stretch.cut_right && stretch.cells <= cells) return {0, stretch.cells};
  const std::size_t room = cells > 2 * kCut.size() ? cells - 2 * kCut.size() : 1;
  const Range focus = focus_of(cell_marks, room);
  const std::size_t before = (room - focus.size()) / 2;
  std::size_t begin = focus.begin > before ? focus.begin - before : 0;
  if (begin + room > stretch.cells) begin = stretch.cells > room ? stretch.cells - room : 0;
  if (begin <= kCut.size() && !stretch.cut_left) begin = 0;
  std::size_t end = std::min(stretch.cells, begin + room);
  if (stretch.cells - end <= kCut.size() && !stretch.cut_right) end = stretch.cells;
  return {begin, end};
}

struct Cut {
  std::string text;
  std::size_t first_cell = 0;  // of the stretch, standing at cell `shift` of the text
  std::size_t shift = 0;
  std::size_t cells = 0;
};

Cut cut_to(const Stretch& stretch, Range window) {
  const bool left = stretch.cut_left || window.begin > 0;
  const bool right = stretch.cut_right || window.end < stretch.cells;
  Cut out{.first_cell = window.end, .shift = left ? kCut.size() : 0};
  if (left) out.text = kCut;
  std::size_t last = window.begin;
  for (const Piece& piece : stretch.pieces) {
    const std::size_t piece_end = piece.cell + piece.glyph.cells;
    if (piece.cell < window.begin || piece_end > window.end) continue;
    out.first_cell = std::min(out.first_cell, piece.cell);
    last = std::max(last, piece_end);
    out.text += piece.glyph.shown;
  }
  out.cells = out.shift + (last > out.first_cell ? last - out.first_cell : 0);
  if (right) out.text += kCut, out.cells += kCut.size();
  return out;
}

std::size_t moved(const Cut& cut, std::size_t cell) {
  if (cell < cut.first_cell) return 0;
  return std::min(cell - cut.first_cell + cut.shift, cut.cells);
}

}  // namespace

ShownLine shown_line(std::string_view line, const std::vector<Range>& byte_marks,
                     std::size_t cells) {
  std::vector<Range> marks = byte_marks;
  for (Range& mark : marks) mark = clamped(mark, line.size());
  const Stretch stretch = stretch_of(line, marks, cells);
  for (Range& mark : marks) mark = cells_of(stretch, mark);
  const Cut cut = cut_to(stretch, window_of(stretch, marks, cells));
  ShownLine out{.text = cut.text};
  for (const Range& mark : marks) {
    std::size_t begin = moved(cut, mark.begin);
    if (begin >= cells && cells > 0) begin = cells - 1;
    const std::size_t end = std::max(begin + 1, moved(cut, mark.end));
    out.marks.push_back({begin, end});
  }
  out.text.erase(out.text.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace sx
