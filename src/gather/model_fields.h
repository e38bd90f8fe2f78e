// One config.json while it is read: the first of several spellings, in the text part before the
// whole; each value with its place, and an unknown with the reason where a value makes no sense.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "facts/fact.h"
#include "read/json.h"

namespace sx {

// Whether "0" is an answer ("no shared experts") or nonsense ("no layers").
enum class Zero { Refused, Allowed };

class ConfigFields {
 public:
  using Keys = std::initializer_list<std::string_view>;

  // Values of earlier scopes win. `file` is the name to use in reasons.
  ConfigFields(int source, std::string file, std::vector<JsonValue> scopes)
      : source_(source), file_(std::move(file)), scopes_(std::move(scopes)) {}

  // The first that is there and not null.
  JsonValue find(Keys keys) const;
  bool has(Keys keys) const { return static_cast<bool>(find(keys)); }

  // A count, width or size: from 1 (or 0) to 10 million. A list of one number repeated is that
  // number.
  Fact<int> count(Keys keys, Zero zero = Zero::Refused) const;
  Fact<std::int64_t> positions(Keys keys) const;  // up to 10^12
  Fact<std::string> word(Keys keys) const;
  Fact<bool> truth(Keys keys) const;

  // The same for a value at hand.
  Fact<int> count_of(JsonValue value, Zero zero = Zero::Refused) const;
  Span place(JsonValue value) const { return value.member_span(source_); }
  Message absent(std::string_view key) const;
  Message senseless(JsonValue value) const;

  int source() const { return source_; }
  const std::string& file() const { return file_; }

 private:
  int source_;
  std::string file_;
  std::vector<JsonValue> scopes_;
};

// The number that an integer, or a list of one integer repeated, stands for.
std::optional<std::int64_t> one_integer(JsonValue value);

// A known 0 that no one wrote: the config has no such part.
inline Fact<int> none_of_it() { return {0, Origin::Default}; }

}  // namespace sx
