// Which children this program made itself. All others came home to it when their parents ended
// (PR_SET_CHILD_SUBREAPER): nobody keeps those any more.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <vector>

#include "sys/process_identity.h"

namespace sx {

// Held from before a child is made until it is noted, so that it is a stranger at no time.
class ChildBirth {
 public:
  ChildBirth();
  void noted(pid_t child);  // <= 0: none was made

 private:
  std::unique_lock<std::mutex> lock_;
};

// Children that nobody here made. Those that have ended are collected on the way.
std::vector<ProcessIdentity> strange_children();

}  // namespace sx
