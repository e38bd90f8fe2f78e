// SX4119. The long explanation and the scenes are in attn_backend_unsupported.md; what it speaks of
// are rows of the engines' constraint tables.
#include "check/constraint_rules.h"
#include "check/rule.h"

namespace sx::rules {
namespace {

// A backend that is gone is no choice any more either; why it is gone says more.
constexpr std::string_view kCovers[] = {"SX1103"};
constexpr std::string_view kName = "attn-backend-unsupported";

std::vector<Complaint> check(const Case& c) { return constraints_bite(c, kName); }
std::vector<Need> open(const Case& c) { return constraints_open(c, kName); }

}  // namespace

extern const Rule attn_backend_unsupported{
    .code = "SX4119",
    .name = "attn-backend-unsupported",
    .severity = Severity::Error,
    .covers = kCovers,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
