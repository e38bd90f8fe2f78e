// Cells of a terminal, by a table of our own: the C library's answer depends on the locale.
#include "text/columns.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"
#include "text/width_table.h"

namespace sx {
namespace {

constexpr std::size_t kTabStop = 8;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

template <std::size_t N>
bool contains(const CodePoints (&ranges)[N], char32_t point) {
  const auto* const after =
      std::upper_bound(std::begin(ranges), std::end(ranges), point,
                       [](char32_t value, const CodePoints& range) { return value < range.first; });
  return after != std::begin(ranges) && point <= std::prev(after)->last;
}

// Unicode has a picture for each ASCII control character.
std::string substitute(char32_t point) {
  std::string out;
  if (point < 0x20U) append_utf8(out, 0x2400U + point);
  if (point == 0x7FU) append_utf8(out, 0x2421U);
  return out.empty() ? std::string(kReplacement) : out;
}

bool plain_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

std::size_t columns(char32_t point) {
  if (point < 0x300U || is_control(point) || rearranges(point)) return 1;
  if (contains(kZeroWidthPoints, point)) return 0;
  return contains(kWidePoints, point) ? 2 : 1;
}

std::size_t columns(std::string_view text) {
  std::size_t cells = 0;
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    cells += point.valid ? columns(point.value) : 1;
    text.remove_prefix(point.length);
  }
  return cells;
}

Glyph first_glyph(std::string_view text, std::size_t column) {
  if (text.empty()) return {.bytes = 0, .shown = {}, .cells = 0};
  if (text.front() == '\t') {
    const std::size_t cells = kTabStop - column % kTabStop;
    return {.bytes = 1, .shown = std::string(cells, ' '), .cells = cells};
  }
  const CodePoint point = decode_utf8(text);
  if (!point.valid) return {.bytes = 1, .shown = std::string(kReplacement), .cells = 1};
  if (is_control(point.value) || rearranges(point.value)) {
    return {.bytes = point.length, .shown = substitute(point.value), .cells = 1};
  }
  return {.bytes = point.length,
          .shown = std::string(text.substr(0, point.length)),
          .cells = columns(point.value)};
}

std::string printable(std::string_view text, std::size_t start) {
  if (plain_ascii(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t column = start; !text.empty();) {
    const Glyph glyph = first_glyph(text, column);
    out += glyph.shown;
    column += glyph.cells;
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

std::string padded(std::string_view text, std::size_t cells) {
  const std::size_t taken = columns(text);
  return std::string(text) + std::string(cells > taken ? cells - taken : 0, ' ');
}

std::string padded_left(std::string_view text, std::size_t cells) {
  const std::size_t taken = columns(text);
  return std::string(cells > taken ? cells - taken : 0, ' ') + std::string(text);
}

}  // namespace sx
