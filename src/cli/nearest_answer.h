// The part of an answer that only engines without an adapter have.
#pragma once

#include "diag/render.h"
#include "gather/gather_case.h"

namespace sx {

// Empty for an engine that is checked in depth.
Translated nearest_answer(const GatheredCases& all, const Case& c);

}  // namespace sx
