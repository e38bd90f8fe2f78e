// SX2129. The long explanation and the scenes are in row_split_unsupported.md; what it speaks of
// are rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"
#include "check/rule_engines.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "row-split-unsupported";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule row_split_unsupported{
    .code = "SX2129",
    .name = "row-split-unsupported",
    .severity = Severity::Warning,
    .engines = kOfLlama,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
