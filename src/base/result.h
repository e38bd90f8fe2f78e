// "I could not": a value, or an Error that names the thing and what we were doing with it.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "base/both.h"

namespace sx {

// Has no constructor without the second language: an error that one half of the readers cannot read
// does not compile.
struct Error {
  // For decisions, not for words: Absent may become an unknown fact, Usage becomes exit 2, …
  enum class Kind { Absent, Refused, Damaged, TooLarge, TimedOut, Usage, Unsupported, Interrupted };

  Kind kind;
  std::string what;     // a lower-case clause that names the thing: "cannot read config.json:
                        // permission denied"
  std::string chinese;  // the same clause for Chinese readers

  Error(Kind k, std::string english, std::string same_in_chinese)
      : kind(k), what(std::move(english)), chinese(std::move(same_in_chinese)) {}
  Error(Kind k, Both words) : Error(k, std::move(words.english), std::move(words.chinese)) {}
  Both words() const { return {what, chinese}; }
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Error::Kind kind, std::string english, std::string chinese) {
  return std::unexpected(Error{kind, std::move(english), std::move(chinese)});
}
inline std::unexpected<Error> fail(Error::Kind kind, Both words) {
  return std::unexpected(Error{kind, std::move(words)});
}

}  // namespace sx

#define SX_JOIN_INNER(a, b) a##b
#define SX_JOIN(a, b) SX_JOIN_INNER(a, b)

// SX_TRY(auto text, files.read(path)); returns the error to our own caller when there is one.
#define SX_TRY(variable, expression) SX_TRY_NAMED(variable, expression, SX_JOIN(sx_try_, __LINE__))
#define SX_TRY_NAMED(variable, expression, result)                \
  auto result = (expression);                                     \
  if (!result) return std::unexpected(std::move(result).error()); \
  variable = std::move(*result)
