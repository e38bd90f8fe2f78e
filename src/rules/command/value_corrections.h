// What a flag's value was most likely meant to be: only where the intention is plain from what was
// typed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "knowledge/flags.h"

namespace sx::rules {

// The same use with other text in the place of one value; empty when that value is no text of the
// command's own.
std::optional<Change> with_value(const Case& c, const FlagUse& use, std::string_view old_value,
                                 const std::string& value);

// "32,768", "32K" and "8.0" as plain digits: k is 1000 and K is 1024, as the engine reads them
// where it takes them.
std::optional<std::string> plain_integer(std::string_view text);

// "90%" and "0,9" as a number.
std::optional<std::string> plain_number(std::string_view text);

// Proposals for a value of the wrong kind, best first; the last one leaves the flag out.
std::vector<Proposal> better_values(const Case& c, const FlagProblem& problem, const FlagUse& use,
                                    const FlagRow& row);

// Choices of the flag that the value looks like a slip of; none for a choice of another version.
std::vector<std::string> near_choices(const FlagRow& row, std::string_view value);

// Without the flag, and what holds then.
Proposal without_flag(const Case& c, const FlagUse& use, const FlagRow& row);

}  // namespace sx::rules
