// What the rows of an engine's constraint table have to say about a launch; a rule of the catalogue
// speaks for the rows that bear its name.
#pragma once

#include <string_view>
#include <vector>

#include "check/rule.h"

namespace sx {

// One complaint a row that bites.
std::vector<Complaint> constraints_bite(const Case& c, std::string_view rule);

// Facts without which rows of the rule stay open: every part of them that is known would have them
// bite. A row that some known part already excludes asks for nothing.
std::vector<Need> constraints_open(const Case& c, std::string_view rule);

}  // namespace sx
