// Which of the layouts that fit a person would take first, by what the person wants.
#pragma once

#include <vector>

#include "plan/search.h"

namespace sx {

// Smaller is better.
double cost(const Draft& draft, const PlanAsk& ask);

// Best first; equal ones by fewer GPUs, then the simpler one.
void sort_best_first(std::vector<Draft>& drafts, const PlanAsk& ask);

// Whether nobody who can have `better` wants `draft`: no more GPUs, no slower, no less room.
bool beaten(const Draft& draft, const Draft& better, const PlanAsk& ask);

// Requests of the longest length asked for that run at once, all replicas together.
double concurrency(const Draft& draft, const PlanAsk& ask);

}  // namespace sx
