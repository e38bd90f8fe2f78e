// The container of a replica beside its keeper: the client that the keeper holds is not the engine,
// so what is asked of the engine is asked of docker or podman.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "run/deployment.h"

namespace sx {

class KeeperContainer {
 public:
  // `folder`: of the replica. A launch without a container: nothing here does anything.
  KeeperContainer(const EngineLaunch& launch, std::string folder, std::string mark);

  bool any() const { return !launch_.container.empty(); }
  std::vector<std::string> words() const;  // that start it

  // Asks it to end within the grace; does not wait.
  void stop(std::chrono::seconds grace) const;
  void kill() const;  // does not wait either

  struct Ending {
    std::optional<int> code;  // empty: docker does not say
    bool out_of_memory = false;
  };
  // After its client has ended: it is ended too if it still runs, looked at, and taken away.
  Ending end() const;

 private:
  EngineLaunch launch_;
  std::string folder_, mark_;
};

// Containers that an earlier keeper of this folder left. True: there were some.
bool remove_containers_of(const EngineLaunch& launch, const std::string& folder);

}  // namespace sx
