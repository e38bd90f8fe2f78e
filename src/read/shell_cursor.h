// A position in a shell text, and the ways to step over a part of it without reading it.
#pragma once

#include <cstddef>
#include <string_view>

namespace sx {

class ShellCursor {
 public:
  // Reads text[begin, text.size()); positions are offsets in `text`.
  ShellCursor(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  bool done() const { return at_ >= text_.size(); }
  std::size_t at() const { return at_; }
  // '\0' past the end; a NUL in the text reads the same, so ends are asked for with done().
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool starts_with(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  std::string_view since(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
  std::string_view rest() const { return text_.substr(at_); }
  void advance(std::size_t count = 1) {
    at_ = at_ + count < text_.size() ? at_ + count : text_.size();
  }

  bool at_line_end() const { return peek() == '\n' || peek() == '\r'; }
  void take_line_end() { advance(starts_with("\r\n") ? 2 : 1); }
  std::string_view take_line();  // without its end, which is taken too

  // Length of a backslash and the line end behind it; 0: there is none here.
  std::size_t continuation() const;
  void skip_blanks();  // spaces, tabs, continuation lines
  void skip_to_line_end();

  // Steps over a nested text whose opening has been taken, up to and including `closer`: one of ) }
  // ` ". False: it has no end, and everything was taken.
  bool skip_nested(char closer);
  // The same for '…'.
  bool skip_single_quotes();

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t newline_ =
      0;  // the first \n at or behind at_ when it is not before at_; saves looking again
};

// Bytes that end a word when they are not quoted.
bool ends_shell_word(char c);

}  // namespace sx
