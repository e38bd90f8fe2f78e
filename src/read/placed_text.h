// A text that stands nowhere as it is, made of bytes that do: the value of a YAML scalar, a line of
// a unit, a word in which variables were replaced. Each byte knows its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "read/command.h"

namespace sx {

struct PlacedByte {
  std::uint32_t begin = 0;  // in the source; texts with places are at most 16 MiB
  std::uint32_t end = 0;
  bool literal = true;   // the byte at `begin` is this byte
  bool complete = true;  // false: part of something that cannot be known here
};

class PlacedText {
 public:
  PlacedText() = default;
  explicit PlacedText(int source) : source_(source) {}

  void add(char c, PlacedByte place) {
    text_ += c;
    places_.push_back(place);
  }
  void add(const PlacedText& other, std::size_t at) { add(other.text_[at], other.places_[at]); }
  // Every byte of `text` stands for the same place.
  void add(std::string_view text, const Span& span, bool complete);

  const std::string& text() const { return text_; }
  int source() const { return source_; }
  bool empty() const { return text_.empty(); }
  std::size_t size() const { return text_.size(); }
  const PlacedByte& place(std::size_t at) const { return places_[at]; }

  // Where [begin, end) stands; of an empty part the place in front of `begin`.
  Span span(std::size_t begin, std::size_t end) const;
  Span span() const { return span(0, size()); }
  // Those bytes stand in the source one behind the other, as they are.
  bool literal(std::size_t begin, std::size_t end) const;
  bool complete(std::size_t begin, std::size_t end) const;
  bool complete() const { return complete(0, size()); }

 private:
  std::string text_;
  std::vector<PlacedByte> places_;
  int source_ = -1;
};

// A word on its way to a command: its text may be read again, as shell or for variables.
struct PlacedWord {
  PlacedText text;      // without quotes
  Span span;            // with them
  bool literal = true;  // see Word
  std::size_t blank = 0;
  Quoting quoting = Quoting::Shell;
  std::string lead = {};
  Command::Text inside = Command::Text::Derived;  // how a command written in its text is edited

  Word word() const;
};

}  // namespace sx
