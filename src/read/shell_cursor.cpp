// Stepping over shell text. Nesting is a string of closing characters, so that no depth can hurt.
#include "read/shell_cursor.h"

#include <algorithm>
#include <string>

namespace sx {

bool ends_shell_word(char c) {
  switch (c) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
    case ';':
    case '&':
    case '|':
    case '<':
    case '>':
    case '(':
    case ')':
      return true;
    default:
      return false;
  }
}

std::size_t ShellCursor::continuation() const {
  if (peek() != '\\' || at_ + 1 >= text_.size()) return 0;
  if (starts_with("\\\r\n")) return 3;
  return peek(1) == '\n' || peek(1) == '\r' ? 2 : 0;
}

void ShellCursor::skip_blanks() {
  while (!done()) {
    if (peek() == ' ' || peek() == '\t') {
      advance();
    } else if (const auto length = continuation()) {
      advance(length);
    } else {
      return;
    }
  }
}

void ShellCursor::skip_to_line_end() {
  if (newline_ < at_ || newline_ == 0) newline_ = std::min(text_.find('\n', at_), text_.size());
  at_ += std::min(text_.substr(at_, newline_ - at_).find('\r'), newline_ - at_);
}

std::string_view ShellCursor::take_line() {
  const auto begin = at_;
  skip_to_line_end();
  const auto line = since(begin);
  if (!done()) take_line_end();
  return line;
}

bool ShellCursor::skip_single_quotes() {
  const auto end = text_.find('\'', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
  return end != std::string_view::npos;
}

bool ShellCursor::skip_nested(char closer) {
  std::string closers(1, closer);
  while (!done()) {
    const char c = peek();
    const char inside = closers.back();
    const bool in_code = inside == ')' || inside == '}';
    advance();
    if (c == inside) {
      closers.pop_back();
      if (closers.empty()) return true;
    } else if (c == '\\') {
      advance();
    } else if (c == '$' && inside != '`' && (peek() == '(' || peek() == '{')) {
      closers += peek() == '(' ? ')' : '}';
      advance();
    } else if (c == '`' && inside != '`') {
      closers += '`';
    } else if (in_code && c == '"') {
      closers += '"';
    } else if (in_code && c == '\'') {
      if (!skip_single_quotes()) return false;
    } else if (inside == ')' && c == '(') {
      closers += ')';
    } else if (inside == ')' && c == '#' && at_ >= 2 && ends_shell_word(text_[at_ - 2]) &&
               text_[at_ - 2] != ')') {
      skip_to_line_end();
    }
  }
  return false;
}

}  // namespace sx
