// SX2122. The long explanation and the scenes are in specdec_pp_incompatible.md; what it speaks of
// are rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "specdec-pp-incompatible";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule specdec_pp_incompatible{
    .code = "SX2122",
    .name = "specdec-pp-incompatible",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
