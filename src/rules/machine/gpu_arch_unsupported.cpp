// SX5119. The long explanation and the scenes are in gpu_arch_unsupported.md; what it speaks of are
// rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

constexpr std::string_view kName = "gpu-arch-unsupported";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule gpu_arch_unsupported{
    .code = "SX5119",
    .name = "gpu-arch-unsupported",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
