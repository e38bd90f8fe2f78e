// The three plans that people with six GPUs argue about: A four GPUs and two free, B stages of two,
// C three replicas of two.
#pragma once

#include <string>
#include <vector>

#include "plan/search.h"

namespace sx {

struct NamedPlan {
  std::string name;  // "A"
  Candidate candidate;
};

// Of a machine with six GPUs to plan for; else none.
std::vector<NamedPlan> named_plans(int gpus);
std::string name_of(const Candidate& candidate, int gpus);

}  // namespace sx
