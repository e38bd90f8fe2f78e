// SX1120. The long explanation and the scenes are in setting_changed_silently.md; what it speaks of
// are rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "setting-changed-silently";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule setting_changed_silently{
    .code = "SX1120",
    .name = "setting-changed-silently",
    .severity = Severity::Warning,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
