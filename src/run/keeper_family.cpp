// A group that cannot be made or entered is no error: the other ways hold too.
#include "run/keeper_family.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "run/replica_files.h"
#include "sys/control_group.h"

namespace sx {

KeeperFamily::KeeperFamily(std::string mark, std::string group)
    : mark_(std::move(mark)), us_(identity_of(::getpid()).value_or(ProcessIdentity{})) {
  if (group.empty() || !make_group(group)) return;
  group_ = std::move(group);
  door_ = group_door(group_);
}

void KeeperFamily::begin(const ProcessIdentity& engine) {
  door_.reset();
  const auto members = group_members(group_);
  if (std::ranges::find(members, engine) != members.end()) return;
  remove_group(group_);
  group_.clear();
}

bool KeeperFamily::look() {
  if (!group_.empty()) return false;
  auto now = descendants_of({us_});
  std::ranges::sort(now, {}, &ProcessIdentity::pid);
  return std::exchange(seen_, now) != now;
}

std::vector<ProcessIdentity> KeeperFamily::left() const {
  std::vector<ProcessIdentity> all = processes_marked(kMarkVariable, mark_);
  const auto add = [&](const std::vector<ProcessIdentity>& more) {
    for (const ProcessIdentity& process : more) {
      if (process != us_ && std::ranges::find(all, process) == all.end()) all.push_back(process);
    }
  };
  add(children_of(::getpid()));  // whatever became of their mark
  add(group_members(group_));
  return all;
}

void KeeperFamily::kill() const {
  kill_group(group_);
  for (const ProcessIdentity& process : left()) send_signal(process, SIGKILL);
}

void KeeperFamily::end() const { remove_group(group_); }

}  // namespace sx
