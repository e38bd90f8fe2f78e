// SX1118. The long explanation and the scenes are in page_size_mismatch.md; what it speaks of are
// rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "page-size-mismatch";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule page_size_mismatch{
    .code = "SX1118",
    .name = "page-size-mismatch",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
