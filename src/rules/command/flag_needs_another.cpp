// SX1114. The long explanation and the scenes are in flag_needs_another.md; what it speaks of are
// rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "flag-needs-another";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule flag_needs_another{
    .code = "SX1114",
    .name = "flag-needs-another",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
