// One code point at a time from bytes that may be anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sx {

struct CodePoint {
  char32_t value = 0xFFFD;
  std::size_t length = 1;  // bytes used; 1 for a byte that is no UTF-8
  bool valid = false;
};

// The first code point of a text that is not empty. Overlong forms, surrogates and cut sequences
// are not valid.
CodePoint decode_utf8(std::string_view text);

void append_utf8(std::string& out, char32_t value);

// The same text with every byte that is no UTF-8 shown as U+FFFD.
std::string valid_utf8(std::string_view text);

bool is_valid_utf8(std::string_view text);

// Control characters, line separators and the marks that turn the direction of writing: a terminal
// that obeys them shows the rest of the line elsewhere than we count it.
bool is_control(char32_t point);
bool rearranges(char32_t point);

}  // namespace sx
