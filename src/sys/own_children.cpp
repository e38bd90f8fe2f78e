// One list for the whole program: children belong to it, not to a part of it.
#include "sys/own_children.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>

namespace sx {
namespace {

struct Made {
  std::mutex mutex;
  std::set<pid_t> pids;
};

Made& made() {
  static Made all;
  return all;
}

}  // namespace

ChildBirth::ChildBirth() : lock_(made().mutex) {}

void ChildBirth::noted(pid_t child) {
  if (child > 0) made().pids.insert(child);
}

std::vector<ProcessIdentity> strange_children() {
  const std::lock_guard<std::mutex> lock(made().mutex);
  std::vector<ProcessIdentity> strangers;
  std::set<pid_t> still;
  for (const ChildProcess& child : all_children_of(::getpid())) {
    if (made().pids.contains(child.process.pid)) {
      still.insert(child.process.pid);
    } else if (child.ended) {
      ::waitpid(child.process.pid, nullptr, WNOHANG);
    } else {
      strangers.push_back(child.process);
    }
  }
  made().pids = std::move(still);  // numbers come back: those that were collected are forgotten
  return strangers;
}

}  // namespace sx
