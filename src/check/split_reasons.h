// The reasons against the case's own layout, by kind: what the rules of family SX2 say one by one.
#pragma once

#include <initializer_list>
#include <vector>

#include "check/rule.h"
#include "fit/splits.h"

namespace sx {

// Empty when the layout is not known. Reasons come in the order of fit/splits.
std::vector<SplitProblem> split_reasons(const Case& c, std::initializer_list<SplitKind> kinds);

// Adds fixes for a layout that does not split behind those that are there: other layouts that fit,
// else fewer bits, else what would be needed.
void propose_layouts(const Case& c, Complaint& complaint);

}  // namespace sx
