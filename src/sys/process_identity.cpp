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
#include <memory>

namespace sx {
namespace {

constexpr std::size_t kMostEnvironment = std::size_t{4} << 20U;  // of a process, looked through
constexpr int kStartField = 22;

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

}  // namespace

std::optional<std::uint64_t> start_ticks_of(std::string_view stat) {
  std::string_view left = after_name(stat);
  for (int field = 3; field < kStartField; ++field) {
    const std::size_t blank = left.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    left.remove_prefix(blank + 1);
  }
  std::uint64_t ticks = 0;
  const auto read = std::from_chars(left.data(), left.data() + left.size(), ticks);
  if (read.ec != std::errc()) return std::nullopt;
  return ticks;
}

std::optional<ProcessIdentity> identity_of(pid_t pid) {
  if (pid <= 0) return std::nullopt;
  const std::string stat = read_small("/proc/" + std::to_string(pid) + "/stat", 4096);
  const auto ticks = start_ticks_of(stat);
  const std::string_view rest = after_name(stat);
  if (!ticks || rest.starts_with('Z') || rest.starts_with('X')) return std::nullopt;
  return ProcessIdentity{.pid = pid, .start_ticks = *ticks};
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
  std::vector<ProcessIdentity> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
  if (!folder) return found;
  const std::string wanted = std::string(name) + '=' + std::string(value);
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view word(static_cast<const char*>(entry->d_name));
    pid_t pid = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), pid);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size() || pid == ::getpid())
      continue;
    const auto identity = identity_of(pid);
    if (!identity) continue;
    const std::string all = read_small("/proc/" + std::string(word) + "/environ", kMostEnvironment);
    std::string_view left(all);
    while (!left.empty()) {
      const std::size_t end = std::min(left.find('\0'), left.size());
      if (left.substr(0, end) == wanted) {
        found.push_back(*identity);
        break;
      }
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  return found;
}

}  // namespace sx
