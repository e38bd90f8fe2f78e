// Counting lines and columns of texts in any shape.
#include "base/source.h"

#include <algorithm>

#include "base/utf8.h"

namespace sx {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool ends_line(std::string_view text, std::size_t at) {
  if (text[at] == '\n') return true;
  return text[at] == '\r' && (at + 1 == text.size() || text[at + 1] != '\n');
}

}  // namespace

Place place_of(const Source& source, std::size_t byte) {
  const std::string_view text = source.text;
  byte = std::min(byte, text.size());
  Place place;
  std::size_t line_begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::string_view before = text.substr(0, byte);
  if (before.contains('\r')) {
    for (std::size_t at = line_begin; at < byte; ++at) {
      if (!ends_line(text, at)) continue;
      ++place.line;
      line_begin = at + 1;
    }
  } else if (const auto last = before.rfind('\n'); last != std::string_view::npos) {
    // Long texts with many places are common; this way is many times faster.
    place.line += static_cast<int>(std::ranges::count(before, '\n'));
    line_begin = last + 1;
  }
  for (std::size_t at = line_begin; at < byte; at += decode_utf8(text.substr(at)).length) {
    ++place.column;
  }
  return place;
}

LineBounds line_bounds(const Source& source, std::size_t byte_inside) {
  const std::string_view text = source.text;
  byte_inside = std::min(byte_inside, text.size());
  // Between \r and \n is still the line that they end.
  const bool inside_pair = byte_inside > 0 && byte_inside < text.size() &&
                           text[byte_inside] == '\n' && text[byte_inside - 1] == '\r';
  if (inside_pair) --byte_inside;
  std::size_t begin = byte_inside;
  while (begin > 0 && !ends_line(text, begin - 1)) --begin;
  if (begin == 0 && text.starts_with(kByteOrderMark)) begin = kByteOrderMark.size();
  std::size_t end = std::max(begin, byte_inside);
  while (end < text.size() && text[end] != '\n' && text[end] != '\r') ++end;
  return {begin, end};
}

}  // namespace sx
