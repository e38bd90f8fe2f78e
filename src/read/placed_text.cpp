// Places of parts of a text, from the places of its bytes.
#include "read/placed_text.h"

#include <algorithm>

namespace sx {

void PlacedText::add(std::string_view text, const Span& span, bool complete) {
  const PlacedByte place{.begin = static_cast<std::uint32_t>(span.begin),
                         .end = static_cast<std::uint32_t>(span.end),
                         .literal = false,
                         .complete = complete};
  for (const char c : text) add(c, place);
}

Span PlacedText::span(std::size_t begin, std::size_t end) const {
  if (places_.empty()) return {source_, 0, 0};
  if (begin >= end) {
    const bool past = begin >= places_.size();
    const std::size_t at = past ? places_.back().end : places_[begin].begin;
    return {source_, at, at};
  }
  std::size_t low = places_[begin].begin;
  std::size_t high = places_[begin].end;
  for (std::size_t i = begin; i < end && i < places_.size(); ++i) {
    low = std::min<std::size_t>(low, places_[i].begin);
    high = std::max<std::size_t>(high, places_[i].end);
  }
  return {source_, low, high};
}

bool PlacedText::literal(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    if (!places_[i].literal) return false;
    if (i > begin && places_[i].begin != places_[i - 1].begin + 1) return false;
  }
  return true;
}

bool PlacedText::complete(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    if (!places_[i].complete) return false;
  }
  return true;
}

Word PlacedWord::word() const {
  return {.text = text.text(),
          .span = span,
          .literal = literal && text.complete(),
          .complete = text.complete(),
          .blank = blank,
          .quoting = quoting,
          .lead = lead};
}

}  // namespace sx
