// A row's sentences and fixes, filled in for a launch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/condition_answer.h"
#include "check/rule.h"
#include "knowledge/constraints.h"

namespace sx {

// The sentence with the value of each {expression} in it, and those values as typed arguments.
// Nothing where one of them is not known.
std::optional<Message> said(const Case& c, const Sentence& sentence);

// What the user would see, and when: the row's own words, or those of its stage.
Message said_otherwise(const Case& c, const ConstraintRow& row);

// One alternative of a row's fixes; nothing where it would change nothing, or its value is not
// known. Its title says what it does.
std::optional<Proposal> said_fix(const Case& c, std::string_view alternative);

// The changes of an alternative, in their order.
std::vector<std::string_view> steps_in(std::string_view alternative);

// The expressions in braces of a text, in their order.
std::vector<std::string_view> expressions_in(std::string_view text);

}  // namespace sx
