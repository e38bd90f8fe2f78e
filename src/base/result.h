// "I could not": a value, or an Error that names the thing and what we were doing with it.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace sx {

struct Error {
  // For decisions, not for words: Absent may become an unknown fact, Usage becomes exit 2, …
  enum class Kind { Absent, Refused, Damaged, TooLarge, TimedOut, Usage, Unsupported, Interrupted };

  Kind kind = Kind::Damaged;
  std::string what;     // a lower-case clause that names the thing: "cannot read config.json: permission denied"
  std::string chinese;  // the same clause for Chinese readers; empty: `what` has to do (words of the system alone)

  // Adds what the caller was doing; only where it tells the reader something new.
  Error while_doing(std::string_view doing) && {
    what += ", while ";
    what += doing;
    return std::move(*this);
  }
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Error::Kind kind, std::string what, std::string chinese = {}) {
  return std::unexpected(Error{kind, std::move(what), std::move(chinese)});
}

}  // namespace sx

#define SX_JOIN_INNER(a, b) a##b
#define SX_JOIN(a, b) SX_JOIN_INNER(a, b)

// SX_TRY(auto text, files.read(path)); returns the error to our own caller when there is one.
#define SX_TRY(variable, expression) SX_TRY_NAMED(variable, expression, SX_JOIN(sx_try_, __LINE__))
#define SX_TRY_NAMED(variable, expression, result) \
  auto result = (expression);                      \
  if (!result) return std::unexpected(std::move(result).error()); \
  variable = std::move(*result)
