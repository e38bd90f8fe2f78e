// A place in a line of a log and the small steps over it: what the readers of fronts have in
// common.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "read/log_line.h"

namespace sx {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class LogCursor {
 public:
  explicit LogCursor(std::string_view text) : text_(text) {}

  std::string_view rest() const { return text_.substr(at_); }
  std::size_t at() const { return at_; }
  bool done() const { return at_ == text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }

  bool skip(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool skip(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool blanks() {
    const std::size_t before = at_;
    while (peek() == ' ' || peek() == '\t') ++at_;
    return at_ > before;
  }
  // Exactly `most` digits, or with `least` at least so many.
  std::optional<int> number(std::size_t least, std::size_t most) {
    std::size_t n = 0;
    int value = 0;
    while (n < most && at_ + n < text_.size() && is_digit(text_[at_ + n])) {
      value = value * 10 + (text_[at_ + n] - '0');
      ++n;
    }
    if (n < least) return {};
    at_ += n;
    return value;
  }
  template <class Test>
  std::string_view word(Test test, std::size_t most) {
    const std::size_t begin = at_;
    while (!done() && at_ - begin < most && test(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void to(std::size_t at) { at_ = at; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// 19:46:48, 19:46:48.123: seconds of the day.
std::optional<double> clock_time(LogCursor& cursor);

// Seconds since the year began; -1 for a month that is none.
double seconds_of(int month, int day, double seconds_of_day);

// 2025-04-09T07:11:12.123Z, 2025-04-09 07:11:03,123 and 12-21 19:46:48, noted in the line; the
// cursor stands behind it.
bool date_and_time(LogCursor& cursor, LogLine& line);

inline void note_time(LogLine& line, std::string_view stamp, double seconds) {
  line.stamp = stamp;
  line.seconds = seconds;
}

// What is left of the line is its text.
inline bool take_rest(LogLine& line, const LogCursor& cursor) {
  line.text = cursor.rest();
  return true;
}

// Fronts of those who collect logs (docker, Kubernetes, journald, the kernel), and of those who
// write them.
bool take_collector_front(LogLine& line);
bool take_writer_front(LogLine& line);

}  // namespace sx
