// SX1116. The long explanation and the scenes are in batched_tokens_config.md; what it speaks of
// are rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "batched-tokens-config";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule batched_tokens_config{
    .code = "SX1116",
    .name = "batched-tokens-config",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
