// The half of launcher-world-size that is TensorRT-LLM's: there MPI starts the ranks themselves.
#pragma once

#include <vector>

#include "check/rule.h"

namespace sx::rules {

// More or fewer processes than ranks; empty without a launcher of MPI and where the sizes are
// unknown.
std::vector<Complaint> mpi_ranks(const Case& c);

}  // namespace sx::rules
