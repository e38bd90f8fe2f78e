// What of a deployment still runs while no daemon watches over it: by the records in its folder,
// each checked by number and start time.
#pragma once

#include <optional>
#include <vector>

#include "run/replica_files.h"
#include "run/state_folder.h"

namespace sx {

struct StillThere {
  struct Replica {
    int number = 0;
    ProcessIdentity engine;
    std::optional<ProcessIdentity> keeper;  // none: it is gone too
    EngineLaunch launch;                    // without words: it cannot be read
    bool listens = false;                   // somebody does on its port
  };
  std::vector<Replica> replicas;           // by their numbers
  std::optional<ProcessIdentity> gateway;  // its own process
  bool empty() const { return replicas.empty() && !gateway; }
};

// Changes nothing. Folders that are not this user's own say nothing.
StillThere still_there(const StateFolder& folder);

}  // namespace sx
