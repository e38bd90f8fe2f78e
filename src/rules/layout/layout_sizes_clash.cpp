// SX2121. The long explanation and the scenes are in layout_sizes_clash.md; what it speaks of are
// rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "layout-sizes-clash";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule layout_sizes_clash{
    .code = "SX2121",
    .name = "layout-sizes-clash",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
