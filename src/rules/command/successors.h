// What to put in the place of a flag that a version no longer has, or does not have yet.
#pragma once

#include <vector>

#include "check/rule.h"
#include "knowledge/flags.h"

namespace sx::rules {

// Best first. Never empty for a flag that stands in the command itself.
std::vector<Proposal> in_place_of_removed(const Case& c, const FlagRow& row, const FlagUse& use);
std::vector<Proposal> in_place_of_newer(const Case& c, const FlagRow& row, const FlagUse& use);

}  // namespace sx::rules
