// Cut where a letter begins.
#include "base/shown_word.h"

#include "base/utf8.h"

namespace sx {

std::string shown_word(std::string_view word, std::size_t most) {
  if (word.size() <= most) return valid_utf8(word);
  std::size_t end = most;
  constexpr std::size_t kLongestLetter = 4;
  while (end > 0 && most - end < kLongestLetter &&
         (static_cast<unsigned char>(word[end]) & 0xC0U) == 0x80U)
    --end;
  return valid_utf8(word.substr(0, end)) + "…";
}

}  // namespace sx
