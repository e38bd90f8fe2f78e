// Layouts are small: each question walks over them.
#include "run/layout_models.h"

#include <algorithm>
#include <iterator>

namespace sx {

std::vector<std::string> models_of(const DeployedLayout& layout) {
  std::vector<std::string> models;
  for (const EngineLaunch& launch : layout.replicas) {
    if (std::ranges::find(models, launch.model) == models.end()) models.push_back(launch.model);
  }
  return models;
}

std::size_t gpus_of(const DeployedLayout& layout, const std::string& model) {
  std::size_t most = 0;
  for (const EngineLaunch& launch : layout.replicas)
    most = std::max(most, launch.model == model ? launch.gpus.size() : 0);
  return most;
}

std::vector<EngineLaunch> of_others(const DeployedLayout& layout, const std::string& model) {
  std::vector<EngineLaunch> all;
  std::ranges::copy_if(layout.replicas, std::back_inserter(all),
                       [&](const EngineLaunch& launch) { return launch.model != model; });
  return all;
}

}  // namespace sx
