// Lines of a budget in place of which a log of the very same launch tells the truth.
#pragma once

#include "facts/case.h"
#include "facts/learned.h"
#include "fit/budget.h"
#include "fit/layout.h"

namespace sx {

// What was learned of the case's own launch; null: nothing, or the layout is another one.
const LearnedRun* learned_run(const Case& c);
const LearnedRun* learned_run(const Case& c, const Layout& layout);

// Puts what was measured in place of what was computed, line by line.
GpuBudget with_learned_lines(GpuBudget gpu, const LearnedRun& run);

// The same before the pool closes the list: where the pool itself was measured, the runtime takes
// what is left, so that the pool comes out exactly. `unused` is what the memory fraction leaves
// out.
GpuBudget with_learned(GpuBudget gpu, Bytes unused, const LearnedRun& run);

}  // namespace sx
