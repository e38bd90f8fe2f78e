// Several models in one deployment, and a deployment made anew beside the one that runs.
#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "cli/up_ask.h"
#include "run/at_port.h"

namespace sx {
namespace {

constexpr std::size_t kMostTogether = 48;  // layouts of all models; a deployment holds 64

// So many layouts of each of `models` that all combinations are few enough.
std::size_t most_of_each(std::size_t models) {
  std::size_t most = 1;
  const auto all = [&](std::size_t each) {
    std::size_t product = 1;
    for (std::size_t i = 0; i < models && product <= kMostTogether; ++i) product *= each;
    return product;
  };
  while (most < kMostTogether && all(most + 1) <= kMostTogether) ++most;
  return most;
}

// The first takes steps last, so that a step down of one model comes later in the list than where
// it stood, with all others as they are.
std::vector<DeployedLayout> combinations(const std::vector<UpMade>& parts) {
  std::vector<DeployedLayout> all{{.label = "", .replicas = {}, .proves = ""}};
  const std::size_t most = most_of_each(parts.size());
  for (const UpMade& part : parts) {
    const auto& layouts = part.deployment.layouts;
    std::vector<DeployedLayout> longer;
    for (const DeployedLayout& so_far : all) {
      for (std::size_t i = 0; i < std::min(layouts.size(), most); ++i) {
        DeployedLayout layout = so_far;
        layout.label += (layout.label.empty() ? "" : " + ") + layouts[i].label;
        std::ranges::copy(layouts[i].replicas, std::back_inserter(layout.replicas));
        longer.push_back(std::move(layout));
      }
    }
    all = std::move(longer);
  }
  return all;
}

Result<void> nobody_shares(const DeployedLayout& layout) {
  for (const EngineLaunch& one : layout.replicas) {
    for (const EngineLaunch& other : layout.replicas) {
      if (one.model == other.model) continue;
      const auto shared = std::ranges::find_first_of(one.gpus, other.gpus);
      if (shared == one.gpus.end()) continue;
      const std::string gpu = std::to_string(*shared);
      return fail(Error::Kind::Usage,
                  one.model + " and " + other.model + " both take GPU " + gpu +
                      "; model.gpus says which are whose",
                  one.model + " 与 " + other.model + " 都要用 GPU " + gpu +
                      "；用 model.gpus 写明各自的 GPU");
    }
  }
  return {};
}

// As it would be at another port; one whose command names none is told its port by nobody.
EngineLaunch moved(const EngineLaunch& launch, int port) {
  if (auto there = at_port(launch, port)) return *std::move(there);
  EngineLaunch same = launch;
  same.port = port;
  return same;
}

}  // namespace

Result<UpMade> joined(std::vector<UpMade> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  UpMade made = parts.front();
  made.deployment.layouts = combinations(parts);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::ranges::move(parts[i].deployment.rungs, std::back_inserter(made.deployment.rungs));
    std::ranges::move(parts[i].commands, std::back_inserter(made.commands));
    std::ranges::move(parts[i].rung_commands, std::back_inserter(made.rung_commands));
  }
  if (auto good = nobody_shares(made.deployment.layouts.front()); !good)
    return std::unexpected(good.error());
  SX_TRY(made.deployment, read_deployment(deployment_json(made.deployment)));
  return made;
}

void keep_ports(Deployment& made, const std::vector<EngineLaunch>& running) {
  for (DeployedLayout& layout : made.layouts) {
    std::vector<int> used;
    for (EngineLaunch& launch : layout.replicas) {
      const auto same = std::ranges::find_if(running, [&](const EngineLaunch& one) {
        return std::ranges::find(used, one.port) == used.end() &&
               launched_alike(moved(launch, one.port), one);
      });
      if (same != running.end()) launch = moved(launch, same->port);
      used.push_back(launch.port);
    }
  }
}

}  // namespace sx
