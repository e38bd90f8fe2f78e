// What a flag or a variable of a launch is worth: a number where it reads as one, a truth, or text.
#pragma once

#include <string_view>

#include "check/condition_names.h"

namespace sx {

// The last use of a flag; `key` asks for a member of a JSON flag, "a.b". Of a switch that is not
// given the version's default, if it has one; of anything else nothing.
ConditionValue flag_value(const Case& c, std::string_view flag, std::string_view key);

ConditionValue variable_value(const Case& c, std::string_view variable);

// A member of a JSON text by its dotted key; absent when it has none, or the text is no object.
ConditionValue json_key(std::string_view json, std::string_view key);

// "4096", "0.9", "8k" as numbers, true and false as truth, the rest as text.
ConditionValue read_value(std::string_view text);

}  // namespace sx
