// The catalogue of rules, in code order.
#pragma once

#include <span>

#include "check/rule.h"

namespace sx::rules {

std::span<const Rule* const> all();
// By code or name, ignoring case; null when there is none.
const Rule* find(std::string_view code_or_name);
// The folder of its family: "layout".
std::string_view family(const Rule& rule);
// Where its page lies among the embedded files: "rules/layout/tp_heads_indivisible.md" (".zh.md"
// for Chinese).
std::string page_name(const Rule& rule, Language language);

}  // namespace sx::rules
