// The catalogue of rules, in code order.
#pragma once

#include <span>

#include "check/rule.h"

namespace sx::rules {

std::span<const Rule* const> all();
// By code or name, ignoring case; null when there is none.
const Rule* find(std::string_view code_or_name);

}  // namespace sx::rules
