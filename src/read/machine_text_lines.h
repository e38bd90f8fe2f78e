// The lines of a pasted text without what pasting adds: colours, quote marks, comment signs,
// fences.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/source.h"

namespace sx {

struct PastedLine {
  std::string_view text;  // cleaned; tabs are kept
  int number = 1;         // 1-based, of the source
  Span span;              // the line as it stands in the source, without blanks around it
};

// Walks a text line by line; a run of empty lines counts as one. A line is valid until the next
// call. Lines longer than kLongestPastedLine are skipped: no output of these tools has one.
inline constexpr std::size_t kLongestPastedLine = 4096;

class PastedLines {
 public:
  PastedLines(std::string_view text, int source) : text_(text), source_(source) {}
  std::optional<PastedLine> next();
  int skipped() const { return skipped_; }  // lines that were too long

 private:
  std::optional<PastedLine> raw();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t feed_ = 0;  // the next line feed at or behind at_
  int source_ = -1;
  int number_ = 0;
  int skipped_ = 0;
  std::string cleaned_;
};

// Text work that the parsers of machine texts share.
std::string_view without_marks(
    std::string_view line);                     // "> ", "# ", "// ", "* " and blanks at the front
std::string first_word(std::string_view text);  // up to the first blank
bool is_version(std::string_view word);         // digits and dots, a digit first and last
bool is_bus_id(std::string_view word);          // 00000000:1A:00.0, 0000:1a:00.0
// What stands behind `label`, blanks and colons: "Driver Version: 550.54.15  CUDA …" gives
// "550.54.15". "" when absent.
std::string word_after(std::string_view line, std::string_view label);
// Everything behind `label`, blanks and one colon.
std::string_view rest_after(std::string_view line, std::string_view label);

}  // namespace sx
