// What replicas of a command and of a plan have in common.
#include "cli/up_parts.h"

#include "run/container_launch.h"

namespace sx {

Result<int> gpu_at(int nth, const UpAsk& ask) {
  if (ask.gpus.empty()) return ask.first_gpu + nth;
  if (nth < static_cast<int>(ask.gpus.size())) return ask.gpus[static_cast<std::size_t>(nth)];
  return fail(Error::Kind::Usage,
              "it takes more GPUs than the " + std::to_string(ask.gpus.size()) +
                  " that model.gpus gives it",
              "它需要的 GPU 多于 model.gpus 给出的 " + std::to_string(ask.gpus.size()) + " 张");
}

Result<std::vector<int>> gpus_at(const std::vector<int>& places, const UpAsk& ask) {
  std::vector<int> gpus;
  for (const int place : places) {
    SX_TRY(const int gpu, gpu_at(place, ask));
    gpus.push_back(gpu);
  }
  return gpus;
}

Deployment empty_deployment(const UpAsk& ask) {
  Deployment deployment{.name = ask.name};
  deployment.host = ask.host;
  deployment.port = ask.port;
  deployment.restart = ask.restart;
  deployment.patience = ask.patience;
  deployment.origin = ask.origin;
  deployment.log = ask.log;
  deployment.key_file = ask.key_file;
  deployment.gateway = ask.gateway;
  return deployment;
}

void add_environment(EngineLaunch& launch, const UpAsk& ask) {
  for (const auto& [name, value] : ask.environment) set_variable(launch, name, value);
}

Result<UpMade> readable(UpMade made) {
  SX_TRY(made.deployment, read_deployment(deployment_json(made.deployment)));
  return made;
}

}  // namespace sx
