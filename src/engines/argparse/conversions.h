// From what a flag's value is to what a fact wants.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "facts/fact.h"

namespace sx::argparse {

template <class T, class From>
Fact<T> converted(const Fact<From>& from, T (*convert)(From)) {
  if (!from.known()) return Fact<T>::unknown(from.why_unknown());
  return {convert(from.value()), from.origin(), from.span()};
}

Tokens to_tokens(std::int64_t count);
Bytes to_bytes(std::int64_t count);
Bytes gib_to_bytes(double size);

// Whether overrides of a model's config (a JSON text) stretch its context: rope settings, the
// number of positions; at the top or in the part of the language model.
Fact<bool> stretches_context(const Fact<std::string>& overrides);

// A JSON object of those members that have a value; nothing when none has.
struct Member {
  std::string key;
  std::string value;
  bool quoted = true;
};
std::string json_object(const std::vector<Member>& members);

}  // namespace sx::argparse
