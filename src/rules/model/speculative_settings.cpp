// SX4121. The long explanation and the scenes are in speculative_settings.md; what it speaks of are
// rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "speculative-settings";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule speculative_settings{
    .code = "SX4121",
    .name = "speculative-settings",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
