// What a layout is to each of the models in it.
#pragma once

#include <string>
#include <vector>

#include "run/deployment.h"

namespace sx {

// Each once, in the order of the replicas.
std::vector<std::string> models_of(const DeployedLayout& layout);
// GPUs of a replica of that model; 0: it has none of it.
std::size_t gpus_of(const DeployedLayout& layout, const std::string& model);
// The replicas of all other models.
std::vector<EngineLaunch> of_others(const DeployedLayout& layout, const std::string& model);

}  // namespace sx
