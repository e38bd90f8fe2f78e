// /proc for who is who, pidfd for signals that reach nobody else.
#include "sys/process_identity.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <map>
#include <memory>

namespace sx {
namespace {

constexpr std::size_t kMostEnvironment = std::size_t{4} << 20U;  // of a process, looked through
constexpr int kStateField = 3, kParentField = 4, kStartField = 22;

std::string read_small(const std::string& path, std::size_t most) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes;
  if (!file.open()) return bytes;
  while (bytes.size() < most) {
    const std::size_t had = bytes.size();
    bytes.resize(std::min(most, had + 16384));
    const ssize_t count = ::read(file.get(), bytes.data() + had, bytes.size() - had);
    if (count < 0 && errno == EINTR) {
      bytes.resize(had);
      continue;
    }
    bytes.resize(had + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count <= 0) break;
  }
  return bytes;
}

// What follows the program's name, which may hold blanks and brackets.
std::string_view after_name(std::string_view stat) {
  const std::size_t end = stat.rfind(')');
  return end == std::string_view::npos || end + 2 > stat.size() ? std::string_view()
                                                                : stat.substr(end + 2);
}

// A field by its number in proc(5); those up to the state are no numbers.
template <class Number>
std::optional<Number> number_field(std::string_view stat, int wanted) {
  std::string_view left = after_name(stat);
  for (int field = kStateField; field < wanted; ++field) {
    const std::size_t blank = left.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    left.remove_prefix(blank + 1);
  }
  Number number = 0;
  const auto read = std::from_chars(left.data(), left.data() + left.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

struct Stat {
  ProcessIdentity process;
  pid_t parent = 0;
  bool ended = false;  // and waits to be collected
};

std::optional<Stat> stat_of(pid_t pid) {
  if (pid <= 0) return std::nullopt;
  const std::string line = read_small("/proc/" + std::to_string(pid) + "/stat", 4096);
  const auto ticks = start_ticks_of(line);
  const std::string_view state = after_name(line);
  if (!ticks) return std::nullopt;
  return Stat{.process = {.pid = pid, .start_ticks = *ticks},
              .parent = number_field<pid_t>(line, kParentField).value_or(0),
              .ended = state.starts_with('Z') || state.starts_with('X')};
}

// Every process but our own.
template <class See>
void each_process(See see) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view word(static_cast<const char*>(entry->d_name));
    pid_t pid = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), pid);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size() || pid == ::getpid())
      continue;
    if (const auto stat = stat_of(pid)) see(*stat);
  }
}

// All that run and are not ourselves, of which `is` holds.
template <class Is>
std::vector<ProcessIdentity> processes_where(Is is) {
  std::vector<ProcessIdentity> found;
  each_process([&](const Stat& stat) {
    if (!stat.ended && is(stat.process, stat)) found.push_back(stat.process);
  });
  return found;
}

}  // namespace

std::optional<std::uint64_t> start_ticks_of(std::string_view stat) {
  return number_field<std::uint64_t>(stat, kStartField);
}

std::optional<ProcessIdentity> identity_of(pid_t pid) {
  const auto stat = stat_of(pid);
  if (!stat || stat->ended) return std::nullopt;
  return stat->process;
}

bool runs(const ProcessIdentity& process) { return identity_of(process.pid) == process; }

UniqueFd watch(const ProcessIdentity& process) {
  UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  // Opened first, compared then: from here on the number cannot be given to another one unseen.
  if (fd.open() && !runs(process)) fd.reset();
  return fd;
}

bool send_signal(const ProcessIdentity& process, int signal) {
  const UniqueFd fd = watch(process);
  return fd.open() && ::syscall(SYS_pidfd_send_signal, fd.get(), signal, nullptr, 0) == 0;
}

std::vector<ProcessIdentity> processes_marked(std::string_view name, std::string_view value) {
  const std::string wanted = std::string(name) + '=' + std::string(value);
  return processes_where([&](const ProcessIdentity& process, const Stat&) {
    const std::string path = "/proc/" + std::to_string(process.pid) + "/environ";
    const std::string all = read_small(path, kMostEnvironment);
    std::string_view left(all);
    while (!left.empty()) {
      const std::size_t end = std::min(left.find('\0'), left.size());
      if (left.substr(0, end) == wanted) return true;
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    return false;
  });
}

std::vector<ProcessIdentity> children_of(pid_t parent) {
  return processes_where(
      [&](const ProcessIdentity&, const Stat& stat) { return stat.parent == parent; });
}

std::vector<ProcessIdentity> all_processes() {
  auto all = processes_where([](const ProcessIdentity&, const Stat&) { return true; });
  if (const auto us = identity_of(::getpid())) all.push_back(*us);
  std::ranges::sort(all, {}, &ProcessIdentity::pid);
  return all;
}

std::vector<ChildProcess> all_children_of(pid_t parent) {
  std::vector<ChildProcess> found;
  each_process([&](const Stat& stat) {
    if (stat.parent == parent) found.push_back({.process = stat.process, .ended = stat.ended});
  });
  return found;
}

std::vector<ProcessIdentity> descendants_of(const std::vector<ProcessIdentity>& ancestors) {
  constexpr std::size_t kMost = 65536;
  std::multimap<pid_t, ProcessIdentity> by_parent;
  std::vector<ProcessIdentity> found;
  each_process([&](const Stat& stat) {
    if (stat.ended) return;
    by_parent.emplace(stat.parent, stat.process);
    if (std::ranges::find(ancestors, stat.process) != ancestors.end())
      found.push_back(stat.process);
  });
  const pid_t ours = ::getpid();
  for (const ProcessIdentity& ancestor : ancestors) {
    if (ancestor.pid != ours) continue;  // not among those that were looked at
    const auto [first, last] = by_parent.equal_range(ours);
    for (auto at = first; at != last; ++at) found.push_back(at->second);
  }
  for (std::size_t i = 0; i < found.size() && found.size() < kMost; ++i) {
    const auto [first, last] = by_parent.equal_range(found[i].pid);
    for (auto at = first; at != last; ++at) {
      if (std::ranges::find(found, at->second) == found.end()) found.push_back(at->second);
    }
  }
  return found;
}

std::vector<ProcessIdentity> processes_called(std::string_view verb, std::string_view last) {
  std::string wanted(1, '\0');
  for (const std::string_view word : {verb, last}) wanted.append(word).push_back('\0');
  return processes_where([&](const ProcessIdentity& process, const Stat&) {
    const std::string path = "/proc/" + std::to_string(process.pid) + "/cmdline";
    return read_small(path, kMostEnvironment).ends_with(wanted);
  });
}

}  // namespace sx
