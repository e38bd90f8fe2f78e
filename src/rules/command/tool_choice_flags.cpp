// SX1117. The long explanation and the scenes are in tool_choice_flags.md; what it speaks of are
// rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "tool-choice-flags";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule tool_choice_flags{
    .code = "SX1117",
    .name = "tool-choice-flags",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
