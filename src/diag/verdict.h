// The last lines of an answer: counts, what was not checked and why, what waits, what was left out.
#pragma once

#include <string>

#include "diag/outcome.h"
#include "diag/render.h"

namespace sx {

// What the page above did not show in full.
struct Folded {
  int one_line_warnings = 0;
  int hidden_advice = 0;
};

std::string verdict(const Outcome& outcome, const Folded& folded, const Style& style);

}  // namespace sx
