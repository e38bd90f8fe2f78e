// The daemon of one deployment: composed here of what runs, what relays and what tells.
#pragma once

#include <string>

#include "base/result.h"
#include "run/state_folder.h"

namespace sx {

struct DaemonAsk {
  StateFolder folder;   // deployment.json lies in it
  std::string program;  // our own, by path
  // Becomes deployment.json once the folder is ours; empty: what lies there.
  std::string deployment;
  bool ladder = false;           // even where the layout worked here before
  bool retry_known_bad = false;  // layouts that failed here before are not left out
};

// Until it was asked to end and everything has, or until nothing more can be done for the
// deployment and somebody asks it to end. Why it ended, for its log; an error when it cannot begin.
Result<Both> run_daemon(const DaemonAsk& ask);

}  // namespace sx
