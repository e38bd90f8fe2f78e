// JSON that was meant: single quotes, Python's words, a comma too many, quotes that the shell ate,
// or no JSON at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "knowledge/flags.h"

namespace sx::rules {

// The same text as JSON, when it is JSON but for its quotes, its True, False and None, and commas
// at the end of a list.
std::optional<std::string> python_as_json(std::string_view text);

// "image=2,video=1" as JSON.
std::optional<std::string> pairs_as_json(std::string_view text);

// The shell took the quotes out of a value and split it at its blanks: its words, and the value as
// it was written.
struct Unquoted {
  std::size_t first_word = 0;
  std::size_t last_word = 0;
  std::string text;
};
std::optional<Unquoted> unquoted_json(const Case& c, const FlagUse& use);

// Such words as the one that they were.
std::optional<Proposal> in_quotes(const Case& c, const FlagUse& use);

std::vector<Proposal> better_json(const Case& c, const FlagProblem& problem, const FlagUse& use,
                                  const FlagRow& row);

}  // namespace sx::rules
