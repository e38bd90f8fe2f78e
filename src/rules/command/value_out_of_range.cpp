// SX1115. The long explanation and the scenes are in value_out_of_range.md; what it speaks of are
// rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "value-out-of-range";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule value_out_of_range{
    .code = "SX1115",
    .name = "value-out-of-range",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
