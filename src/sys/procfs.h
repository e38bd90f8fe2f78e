// What Linux tells in /proc and /sys about memory, limits, processors, containers and open ports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "sys/environment.h"
#include "sys/files.h"

namespace sx {

struct MemoryInfo {
  std::optional<Bytes> total, available;
};
MemoryInfo parse_meminfo(std::string_view text);

// The tightest memory limit of the control groups of this process, version 1 or 2; empty: none is
// set or told.
std::optional<Bytes> control_group_memory_limit(const Files& files);

struct ProcessLimits {
  std::optional<Bytes> locked_memory;  // kNoLimit: unlimited
  std::optional<int> open_files;
};
inline constexpr Bytes kNoLimit{std::int64_t{1} << 60};
ProcessLimits parse_limits(std::string_view text);  // of /proc/self/limits: the soft ones

int count_processors(std::string_view cpuinfo);
std::optional<int> count_numa_nodes(const Files& files);
// The NUMA node of a PCI device ("00000000:1A:00.0"); empty when the system does not tell (-1).
std::optional<int> numa_node_of(const Files& files, std::string_view pci);

// Inside a container, by the marks that runtimes leave. Empty: nothing can be told.
std::optional<bool> in_container(const Files& files, const Environment& environment);

// Size of the file system mounted at /dev/shm, from the mount's own option; empty: it has none.
std::optional<Bytes> shared_memory_size(std::string_view mounts);

struct ListeningPort {
  int port = 0;
  std::string address;  // "0.0.0.0", "127.0.0.1", "::"
  auto operator<=>(const ListeningPort&) const = default;
};
// Of /proc/net/tcp or tcp6; sorted, each once. At most 65 536.
std::vector<ListeningPort> parse_listening_ports(std::string_view text);

// The number after "oom_kill " in a group's memory.events or in /proc/vmstat: how many processes
// the kernel has ended for lack of memory; empty: it does not count them.
std::optional<long> oom_kills_in(std::string_view text);

// Size and free space of the file system that holds a path, from the system itself.
struct Space {
  Bytes size, free;
};
Result<Space> space_of(const std::string& path);

}  // namespace sx
