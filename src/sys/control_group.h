// Control groups (version 2) that hold one start of an engine each: whatever its processes do, none
// of them leaves, all are ended at once, and the kernel counts those it ended for lack of memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sys/process_identity.h"

namespace sx {

// Our own group's folder, from the texts of /proc/self/cgroup and /proc/self/mountinfo; empty:
// there is no hierarchy of version 2 here, or we are outside of what is mounted.
std::string own_group_folder(std::string_view cgroup, std::string_view mountinfo);

// Where groups for engines may be made: in our own, where nobody else manages it. Otherwise an
// error with the reason.
Result<std::string> group_home();

// "HOME/sextant-MARK". Only folders of such names are ever written to or removed.
std::string group_of(const std::string& home, std::string_view mark);

Result<void> make_group(const std::string& group);
// A process that writes "0" here moves itself in; not open when that is not allowed.
UniqueFd group_door(const std::string& group);
// Those in it that have not ended.
std::vector<ProcessIdentity> group_members(const std::string& group);
// Everything in it at once. False: there is no such group.
bool kill_group(const std::string& group);
// Once it is empty; until then it stays.
void remove_group(const std::string& group);

// How many processes the kernel has ended for lack of memory, counted by the group or, where it
// does not count, by the nearest one above that does; empty: none does.
struct GroupOomKills {
  long count = 0;
  bool own = false;  // of the group itself: nobody else's are among them
};
std::optional<GroupOomKills> group_oom_kills(const std::string& group);

}  // namespace sx
