// SX4123. The long explanation and the scenes are in gpu_lacks_feature.md; what it speaks of are
// rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "gpu-lacks-feature";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule gpu_lacks_feature{
    .code = "SX4123",
    .name = "gpu-lacks-feature",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
