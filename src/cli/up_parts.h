// What replicas of a command and of a plan have in common.
#pragma once

#include <vector>

#include "cli/up_ask.h"

namespace sx {

// Which of the machine's GPUs the n-th is that a model may use.
Result<int> gpu_at(int nth, const UpAsk& ask);
Result<std::vector<int>> gpus_at(const std::vector<int>& places, const UpAsk& ask);

Deployment empty_deployment(const UpAsk& ask);
void add_environment(EngineLaunch& launch, const UpAsk& ask);

// What the daemon will not read is refused before anything is written.
Result<UpMade> readable(UpMade made);

}  // namespace sx
