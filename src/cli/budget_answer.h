// `--why`: the memory of each GPU, as a table and as JSON.
#pragma once

#include "diag/render.h"
#include "facts/case.h"

namespace sx {

// Nothing is added when the memory cannot be computed; then the reason stands in place of the
// table.
void add_budget(LaunchAnswer& answer, const Case& c, Language language);

}  // namespace sx
