// Quotes and escapes as POSIX has them, with $'…' and arrays as bash has them.
#include "read/shell_word_reader.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "read/shell_arithmetic.h"
#include "read/shell_parameter.h"

namespace sx {
namespace {

bool plain_in_word(char c) {
  return !ends_shell_word(c) && c != '\\' && c != '\'' && c != '"' && c != '$' && c != '`';
}

bool plain_in_quotes(char c) { return c != '\\' && c != '"' && c != '$' && c != '`'; }

bool plain_in_brace(char c) { return plain_in_quotes(c) && c != '\'' && c != '}'; }

bool plain_in_quoted_brace(char c) { return plain_in_quotes(c) && c != '}'; }

bool starts_parameter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("_{@*#?$!-").contains(c);
}

// Up to `most` digits of a base, for \x41, \101 and \u4e2d.
char32_t take_digits(ShellCursor& cursor, unsigned base, int most) {
  char32_t value = 0;
  for (int i = 0; i < most; ++i) {
    const char c = cursor.peek();
    unsigned digit = 99;
    if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
    if (digit >= base) break;
    value = value * base + digit;
    cursor.advance();
  }
  return value;
}

// One escape of $'…' behind its backslash.
std::string take_escape(ShellCursor& cursor) {
  constexpr std::string_view kNames = "abefnrtvE";
  constexpr std::string_view kBytes = "\a\b\x1b\f\n\r\t\v\x1b";
  const char c = cursor.peek();
  if (c >= '0' && c <= '7') return {static_cast<char>(take_digits(cursor, 8, 3))};
  cursor.advance();
  if (const auto at = kNames.find(c); at != std::string_view::npos) return {kBytes[at]};
  if (c == 'x') return {static_cast<char>(take_digits(cursor, 16, 2))};
  if (c == 'u' || c == 'U') {
    std::string text;
    const char32_t value = take_digits(cursor, 16, c == 'u' ? 4 : 8);
    append_utf8(text, value > 0x10FFFF ? 0xFFFD : value);
    return text;
  }
  if (std::string_view("\\'\"?").contains(c)) return {c};
  return {'\\', c};
}

}  // namespace

void ShellWordReader::too_long(bool fits) {
  if (fits || std::exchange(cut_, true)) return;
  note(ShellNote::Kind::TooDeep, begin_);
}

void ShellWordReader::plain_run(ShellFields& fields, Until until) {
  const std::string_view rest = cursor_.rest();
  const auto plain = until == Until::WordEnd       ? plain_in_word
                     : until == Until::DoubleQuote ? plain_in_quotes
                     : quoted_                     ? plain_in_quoted_brace
                                                   : plain_in_brace;
  const auto end = std::ranges::find_if_not(rest, plain);
  const auto length = std::max<std::size_t>(1, static_cast<std::size_t>(end - rest.begin()));
  const std::string_view text = rest.substr(0, length);
  cursor_.advance(length);
  if (until != Until::Brace || quoted_) return too_long(fields.add(text));
  too_long(fields.add_split({ShellPiece{std::string(text)}}));
}

void ShellWordReader::backslash(ShellFields& fields, Until until) {
  if (const auto length = cursor_.continuation()) return cursor_.advance(length);
  const char next = cursor_.peek(1);
  const bool keeps_backslash =
      until == Until::DoubleQuote && !std::string_view("$`\"\\").contains(next);
  cursor_.advance();
  if (keeps_backslash || cursor_.done()) {
    too_long(fields.add("\\"));
    return;
  }
  bare_ = false;
  too_long(fields.add(cursor_.rest().substr(0, 1)));
  cursor_.advance();
}

void ShellWordReader::single_quotes(ShellFields& fields) {
  const auto begin = cursor_.at();
  cursor_.advance();
  bare_ = false;
  const bool closed = cursor_.skip_single_quotes();
  std::string_view inside = cursor_.since(begin + 1);
  if (closed) inside.remove_suffix(1);
  fields.touch();
  too_long(fields.add(inside));
  if (!closed) note(ShellNote::Kind::UnclosedQuote, begin);
}

void ShellWordReader::escapes(ShellFields& fields) {
  const auto begin = cursor_.at();
  cursor_.advance(2);
  bare_ = false;
  fields.touch();
  while (!cursor_.done() && cursor_.peek() != '\'') {
    const std::string_view rest = cursor_.rest();
    const auto plain = std::min(rest.find_first_of("\\'"), rest.size());
    too_long(fields.add(rest.substr(0, plain)));
    cursor_.advance(plain);
    if (cursor_.peek() != '\\' || cursor_.done()) continue;
    cursor_.advance();
    if (!cursor_.done()) too_long(fields.add(take_escape(cursor_)));
  }
  if (cursor_.done()) return note(ShellNote::Kind::UnclosedQuote, begin);
  cursor_.advance();
}

void ShellWordReader::double_quotes(ShellFields& fields) {
  const auto begin = cursor_.at();
  cursor_.advance();
  bare_ = false;
  const bool outer = std::exchange(empty_list_, false);
  const bool outer_quoted = std::exchange(quoted_, true);
  parts(fields, Until::DoubleQuote);
  quoted_ = outer_quoted;
  if (!empty_list_) fields.touch();
  empty_list_ = outer;
  if (cursor_.done()) return note(ShellNote::Kind::UnclosedQuote, begin);
  cursor_.advance();
}

void ShellWordReader::substitution(ShellFields& fields, std::size_t opening, char closer) {
  const auto begin = cursor_.at();
  cursor_.advance(opening);
  literal_ = false;
  bare_ = false;
  const bool closed = cursor_.skip_nested(closer);
  too_long(fields.add(cursor_.since(begin), false));
  note(closed ? ShellNote::Kind::Substitution : ShellNote::Kind::UnclosedQuote, begin);
}

void ShellWordReader::arithmetic(ShellFields& fields) {
  const auto begin = cursor_.at();
  ShellCursor ahead = cursor_;
  ahead.advance(3);
  const bool closed = ahead.skip_nested(')');
  const std::string_view inside = ahead.since(begin + 3);
  if (!closed || ahead.peek() != ')') return substitution(fields, 2, ')');
  const auto result = arithmetic_value(inside.substr(0, inside.size() - 1), context_.variables);
  if (!result) return substitution(fields, 2, ')');
  literal_ = false;
  bare_ = false;
  cursor_.advance(inside.size() + 4);
  too_long(fields.add(std::to_string(*result)));
}

void ShellWordReader::dollar(ShellFields& fields) {
  const char next = cursor_.peek(1);
  if (next == '\'' && !quoted_) return escapes(fields);
  if (next == '"' && !quoted_) {
    cursor_.advance();
    return double_quotes(fields);
  }
  if (cursor_.starts_with("$((")) return arithmetic(fields);
  if (next == '(') return substitution(fields, 2, ')');
  if (starts_parameter(next)) return parameter(fields);
  too_long(fields.add("$"));
  cursor_.advance();
}

void ShellWordReader::parts(ShellFields& fields, Until until) {
  while (!cursor_.done()) {
    const char c = cursor_.peek();
    if (until == Until::DoubleQuote && c == '"') return;
    if (until == Until::Brace && c == '}') return;
    if (until == Until::WordEnd && ends_shell_word(c)) return;
    if (c == '\\') {
      backslash(fields, until);
    } else if (c == '$') {
      dollar(fields);
    } else if (c == '`') {
      substitution(fields, 1, '`');
    } else if (c == '\'' && !quoted_) {
      single_quotes(fields);
    } else if (c == '"') {
      double_quotes(fields);
    } else {
      plain_run(fields, until);
    }
  }
}

void ShellWordReader::parameter(ShellFields& fields) {
  literal_ = false;
  bare_ = false;
  ShellParameterReader(*this, fields, quoted_).read();
}

ReadWord ShellWordReader::word() {
  ShellFields fields(ShellFields::Splitting::On);
  begin_ = cursor_.at();
  literal_ = bare_ = true;
  cut_ = false;
  const bool tilde = cursor_.peek() == '~';
  parts(fields, Until::WordEnd);
  const Span span = part_.span(begin_, cursor_.at());
  ReadWord read{.bare = bare_};
  for (auto& value : fields.finish()) {
    read.words.push_back({.text = text_of(value),
                          .span = span,
                          .literal = literal_ && !cut_ && part_.written != Command::Text::Derived,
                          .complete = is_complete(value)});
  }
  if (tilde && !read.words.empty()) read.words[0].tilde = true;
  return read;
}

ShellWordReader::Value ShellWordReader::value() {
  ShellFields fields(ShellFields::Splitting::Off);
  begin_ = cursor_.at();
  literal_ = bare_ = true;
  cut_ = false;
  parts(fields, Until::WordEnd);
  return {fields.finish_value(), literal_ && !cut_};
}

ShellWordReader::Array ShellWordReader::array() {
  const auto begin = cursor_.at();
  Array array;
  while (true) {
    cursor_.skip_blanks();
    if (cursor_.done()) {
      note(ShellNote::Kind::UnclosedQuote, begin);
      return array;
    }
    const char c = cursor_.peek();
    if (c == ')') {
      cursor_.advance();
      return array;
    }
    if (cursor_.at_line_end()) {
      cursor_.take_line_end();
    } else if (c == '#') {
      cursor_.skip_to_line_end();
    } else if (ends_shell_word(c)) {
      cursor_.advance();  // no shell takes it there
    } else {
      ShellFields fields(ShellFields::Splitting::On);
      begin_ = cursor_.at();
      cut_ = false;
      parts(fields, Until::WordEnd);
      for (auto& value : fields.finish()) array.elements.push_back(std::move(value));
    }
  }
}

}  // namespace sx
