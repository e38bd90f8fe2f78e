// Which part of a model of unlike parts sits where: the vision tower beside the language model.
#pragma once

#include <vector>

#include "plan/plan.h"
#include "plan/search.h"

namespace sx {

// Fills in the plan's parts and what is to be said of them; nothing for a model of one part.
// `launch`: the draft's.
void add_parts(Plan& plan, const Case& launch, const Draft& draft);

}  // namespace sx
