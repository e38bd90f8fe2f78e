// A value that knows where it came from, and the place to underline; or the reason why it is not
// known.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/source.h"
#include "diag/message.h"

namespace sx {

// The words of the machine formats.
enum class Origin {
  Flag,
  Environment,
  Config,
  Header,
  Device,
  Measured,
  Default,
  Formula,
  Assumed
};
std::string_view word(Origin origin);

// Every input to a rule is a Fact, so that a message can underline the place a number came from,
// and so that "not known" is never mistaken for zero.
template <class T>
class Fact {
 public:
  Fact() = default;
  Fact(T value, Origin origin, std::optional<Span> span = {})
      : value_(std::move(value)), origin_(origin), span_(span) {}

  // Not known, and why: "the config could not be read".
  static Fact unknown(Message why) {
    Fact fact;
    fact.why_ = std::move(why);
    return fact;
  }

  bool known() const { return value_.has_value(); }
  explicit operator bool() const { return known(); }
  const T& value() const {
    SX_ASSERT(value_.has_value());
    return *value_;
  }
  T value_or(T otherwise) const { return value_.value_or(std::move(otherwise)); }
  Origin origin() const { return origin_; }
  const std::optional<Span>& span() const { return span_; }
  const Message& why_unknown() const { return why_; }
  // Said by the person who launches, in the command or its environment.
  bool asked() const {
    return known() && (origin_ == Origin::Flag || origin_ == Origin::Environment);
  }

 private:
  std::optional<T> value_;
  Origin origin_ = Origin::Assumed;
  std::optional<Span> span_;
  Message why_;
};

}  // namespace sx
