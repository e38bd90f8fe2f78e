// Where a deployment keeps what must outlive its processes.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "run/replica_files.h"
#include "sys/environment.h"

namespace sx {

struct StateFolder {
  std::string path;
  std::string deployment() const { return path + "/deployment.json"; }
  std::string file() const { return path + "/sextant.toml"; }  // what `up` was asked without one
  std::string keys() const { return path + "/keys.json"; }     // of keys that its file names
  std::string api() const { return path + "/api.sock"; }
  std::string gateway() const { return path + "/gateway.sock"; }
  std::string routes() const { return path + "/routes.json"; }
  std::string journal() const { return path + "/journal.db"; }
  std::string log() const { return path + "/daemon.log"; }
  std::string access_log() const { return path + "/access.log"; }
  std::string last_words() const { return path + "/last_words.json"; }
  std::string replicas() const { return path + "/replicas"; }
  std::string reports() const { return path + "/reports"; }
  ReplicaFiles replica(int index) const {
    return ReplicaFiles(path + "/replicas/" + std::to_string(index));
  }
};

// SEXTANT_STATE, or sextant/ in XDG_STATE_HOME or ~/.local/state; below it a folder a deployment.
// Refused where no home is known. Names hold letters, digits, '-', '_' and '.', at most 64, and do
// not look like a flag or a hidden file.
Result<StateFolder> state_folder(const Environment& environment, const std::string& name);
bool is_deployment_name(std::string_view name);

// Folders for this user alone, and the one lock that says that a daemon works here: Refused while
// another one does.
Result<UniqueFd> take_state_folder(const StateFolder& folder);
// Whether somebody has that lock. A daemon that goes down has it until nothing of it is left, ports
// among them, which is a little longer than it answers.
bool state_folder_taken(const StateFolder& folder);

// Nothing more can be written there: its file system is full.
bool is_full(const StateFolder& folder);

// Made where it is not there. Refused when it is a link, or when somebody else owns it or may write
// to it: what lies in it says which processes are to be ended.
Result<void> own_folder(const std::string& path);

}  // namespace sx
