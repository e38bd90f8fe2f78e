// How many terminal cells a text takes, and how to cut it to a number of cells.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sx {

// East Asian wide and fullwidth are 2, combining marks and zero-width characters 0, control
// characters and bytes that are no UTF-8 are shown as one cell. Ambiguous width counts as 1. Tabs
// are not handled here: see printable.
std::size_t columns(std::string_view text);
std::size_t columns(char32_t point);

// The first character of a text as a terminal may show it.
struct Glyph {
  std::size_t bytes = 1;  // of the text
  std::string shown;      // never moves the cursor; empty only for an empty text
  std::size_t cells = 1;  // that `shown` takes
};
Glyph first_glyph(std::string_view text, std::size_t column = 0);

// What a terminal may show of bytes from anywhere: tabs become spaces to the next multiple of 8 (of
// cells, from `start`), each control character becomes one visible substitute (so an escape
// sequence is read, not obeyed), as do the characters that turn the direction of writing; bytes
// that are no UTF-8 become U+FFFD. The result never moves the cursor.
std::string printable(std::string_view text, std::size_t start = 0);

// Pads with blanks on the right to a number of cells; never cuts.
std::string padded(std::string_view text, std::size_t cells);
std::string padded_left(std::string_view text, std::size_t cells);

}  // namespace sx
