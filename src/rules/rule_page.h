// Where the page of a rule is found.
#pragma once

#include <string>
#include <string_view>

#include "check/rule.h"

namespace sx::rules {

// The folder of its family: "layout".
std::string_view family(const Rule& rule);
// Where its page lies among the embedded files: "rules/layout/tp_heads_indivisible.md" (".zh.md"
// for Chinese).
std::string page_name(const Rule& rule, Language language);

}  // namespace sx::rules
