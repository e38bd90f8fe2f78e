// SX1113. The long explanation and the scenes are in flags_contradict.md; what it speaks of are
// rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "flags-contradict";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule flags_contradict{
    .code = "SX1113",
    .name = "flags-contradict",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
