// The half of launcher-world-size that is TensorRT-LLM's: there mpirun starts the ranks themselves.
#pragma once

#include <vector>

#include "check/rule.h"

namespace sx::rules {

// More or fewer processes than ranks; empty without mpirun and where the sizes are unknown.
std::vector<Complaint> mpi_ranks(const Case& c);

}  // namespace sx::rules
