// Why a layout is out, and the smallest change that would bring it in.
#pragma once

#include <vector>

#include "plan/search.h"

namespace sx {

// One entry a tensor size that does not split, one a layout that has no room.
std::vector<Rejected> rejected_of(Search& search, const std::vector<Draft>& fitting,
                                  const PlanAsk& ask);

}  // namespace sx
