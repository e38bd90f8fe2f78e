// SX1119. The long explanation and the scenes are in dp_attention_unsupported.md; what it speaks of
// are rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "dp-attention-unsupported";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule dp_attention_unsupported{
    .code = "SX1119",
    .name = "dp-attention-unsupported",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
