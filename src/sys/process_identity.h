// A process that cannot be taken for another one: its number and when it began. Numbers come back.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace sx {

struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // since the machine began, from /proc/PID/stat
  bool operator==(const ProcessIdentity&) const = default;
};

// Field 22 of the line; empty when it is none of that file.
std::optional<std::uint64_t> start_ticks_of(std::string_view stat);

// Empty: there is no such process, or it has ended and only waits to be collected.
std::optional<ProcessIdentity> identity_of(pid_t pid);
bool runs(const ProcessIdentity& process);

// Readable once it has ended; not open when it does not run any more.
UniqueFd watch(const ProcessIdentity& process);

// To that very process and no other. False: it does not run, or may not be sent to.
bool send_signal(const ProcessIdentity& process, int signal);

// Every process that carries NAME=VALUE in the environment it began with; not our own. Processes
// of other users are not seen.
std::vector<ProcessIdentity> processes_marked(std::string_view name, std::string_view value);

// All that run, our own too, by their number.
std::vector<ProcessIdentity> all_processes();

// Those whose parent is that one, and that have not ended.
std::vector<ProcessIdentity> children_of(pid_t parent);

// The same with those that have ended and wait to be collected.
struct ChildProcess {
  ProcessIdentity process;
  bool ended = false;
};
std::vector<ChildProcess> all_children_of(pid_t parent);

// All that came of these, children of children too, with themselves where they still run; not our
// own process. At most 65 536.
std::vector<ProcessIdentity> descendants_of(const std::vector<ProcessIdentity>& ancestors);

// All other processes whose command line ends with these two words.
std::vector<ProcessIdentity> processes_called(std::string_view verb, std::string_view last);

}  // namespace sx
