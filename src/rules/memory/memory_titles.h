// The first line that the rules about a launch's memory say, and how grave it is: for those rules,
// and for who holds the budget already and wants no more than that.
#pragma once

#include <string_view>

#include "check/memory_verdict.h"
#include "check/rule.h"

namespace sx::rules {

// By name, the rule that says it.
std::string_view rule_of(MemoryBreak what);

Message title_of(const Case& c, const MemoryFault& fault, const Budget& budget);

Severity severity_of(const Case& c, const MemoryFault& fault);

}  // namespace sx::rules
