// Which causes may only be what another one brought about (data/causes/consequences.tsv): they are
// no failure of their own beside it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace sx {

struct ConsequenceRow {
  std::string_view cause;                    // a name, or "family:" and a family
  std::vector<std::string_view> may_follow;  // the same words; "*": anything
  std::string_view source;
};

std::span<const ConsequenceRow> consequences();

// Whether `cause` may be a consequence of `other`. The row of a name counts before that of its
// family; without a row it follows nothing.
bool may_follow(std::string_view cause, std::string_view other);

}  // namespace sx
