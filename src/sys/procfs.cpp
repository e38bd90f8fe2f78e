// Reading of /proc and /sys; each text is small, bounded and may be missing.
#include "sys/procfs.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/strings.h"
#include "sys/files_words.h"
#include "sys/system_words.h"

namespace sx {
namespace {

constexpr Bytes kSmallFile = mib(8);
constexpr int kDeepestGroup = 32;
// Version 1 says "no limit" by a number close to 2^63.
constexpr std::int64_t kLargestRealLimit = std::int64_t{1} << 56;

std::string text_of(const Files& files, const std::string& path) {
  return files.read(path, kSmallFile).value_or("");
}

std::optional<Bytes> kibibytes(std::string_view line, std::string_view label) {
  if (!line.starts_with(label)) return {};
  std::string_view rest = trimmed(line.substr(label.size()));
  if (!rest.ends_with("kB")) return {};
  const auto count = to_integer(trimmed(rest.substr(0, rest.size() - 2)));
  if (!count || *count < 0 || *count > (1LL << 50)) return {};
  return kib(*count);
}

std::optional<Bytes> limit_in(const Files& files, const std::string& path) {
  const auto number = to_integer(trimmed(text_of(files, path)));
  if (!number || *number < 0 || *number >= kLargestRealLimit) return {};
  return Bytes{*number};
}

void keep_tighter(std::optional<Bytes>& limit, std::optional<Bytes> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

// A group's limit and those of all groups above it.
std::optional<Bytes> tightest(const Files& files, const std::string& root, std::string path,
                              const std::string& file) {
  std::optional<Bytes> limit;
  if (path.find("..") != path.npos) path.clear();  // outside of what this container sees
  for (int depth = 0; depth < kDeepestGroup; ++depth) {
    keep_tighter(limit, limit_in(files, root + path + (path.ends_with('/') ? "" : "/") + file));
    if (path.empty() || path == "/") break;
    path.resize(path.rfind('/') == path.npos ? 0 : path.rfind('/'));
  }
  return limit;
}

// The words of a line, blanks between them.
std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> all;
  for (const std::string_view word : split(line, ' ')) {
    if (!trimmed(word).empty()) all.push_back(trimmed(word));
  }
  return all;
}

std::optional<Bytes> size_option(std::string_view value) {
  if (value.empty()) return {};
  int shift = 0;
  const char unit = value.back();
  if (unit == 'k' || unit == 'K') shift = 10;
  if (unit == 'm' || unit == 'M') shift = 20;
  if (unit == 'g' || unit == 'G') shift = 30;
  if (shift != 0) value.remove_suffix(1);
  const auto number = to_integer(value);
  if (!number || *number < 0 || *number > (kLargestRealLimit >> shift)) return {};
  return Bytes{*number << shift};
}

}  // namespace

MemoryInfo parse_meminfo(std::string_view text) {
  MemoryInfo info;
  for (const std::string_view line : lines_of(text)) {
    if (!info.total) info.total = kibibytes(line, "MemTotal:");
    if (!info.available) info.available = kibibytes(line, "MemAvailable:");
    if (info.total && info.available) break;
  }
  return info;
}

std::optional<Bytes> control_group_memory_limit(const Files& files) {
  std::optional<Bytes> limit;
  const std::string groups = text_of(files, "/proc/self/cgroup");  // the lines look into it
  for (const std::string_view line : lines_of(groups)) {
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const std::string path(line.substr(parts[0].size() + parts[1].size() + 2));
    if (parts[1].empty())
      keep_tighter(limit, tightest(files, "/sys/fs/cgroup", path, "memory.max"));
    const auto controllers = split(parts[1], ',');
    if (std::ranges::find(controllers, "memory") == controllers.end()) continue;
    keep_tighter(limit, tightest(files, "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
  }
  // In a container the path names the host's group, while the mount shows our own at its top.
  keep_tighter(limit, limit_in(files, "/sys/fs/cgroup/memory.max"));
  keep_tighter(limit, limit_in(files, "/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  return limit;
}

ProcessLimits parse_limits(std::string_view text) {
  ProcessLimits limits;
  const auto soft = [](std::string_view line,
                       std::string_view label) -> std::optional<std::int64_t> {
    if (!line.starts_with(label)) return {};
    const auto values = words(line.substr(label.size()));
    if (values.empty()) return {};
    if (values[0] == "unlimited") return kNoLimit.count();
    const auto number = to_integer(values[0]);
    if (!number || *number < 0) return {};
    return *number;
  };
  for (const std::string_view line : lines_of(text)) {
    if (const auto locked = soft(line, "Max locked memory"))
      limits.locked_memory = Bytes{std::min(*locked, kNoLimit.count())};
    if (const auto open = soft(line, "Max open files")) {
      limits.open_files = static_cast<int>(std::min<std::int64_t>(*open, INT32_MAX));
    }
  }
  return limits;
}

int count_processors(std::string_view cpuinfo) {
  int count = 0;
  for (const std::string_view line : lines_of(cpuinfo)) {
    if (line.starts_with("processor") && line.find(':') != line.npos) ++count;
  }
  return count;
}

std::optional<int> count_numa_nodes(const Files& files) {
  const auto names = files.list("/sys/devices/system/node");
  if (!names) return {};
  const auto is_node = [](const std::string& name) {
    return name.starts_with("node") && name.size() > 4 &&
           to_integer(std::string_view(name).substr(4)).has_value();
  };
  const auto count = static_cast<int>(std::ranges::count_if(*names, is_node));
  if (count == 0) return {};
  return count;
}

std::optional<int> numa_node_of(const Files& files, std::string_view pci) {
  // sysfs writes the domain with four digits and everything small.
  const auto colon = pci.find(':');
  if (colon == pci.npos || pci.find('/') != pci.npos) return {};
  std::string domain(pci.substr(0, colon));
  if (domain.size() == 8 && domain.starts_with("0000")) domain.erase(0, 4);
  const std::string device = lower(domain + std::string(pci.substr(colon)));
  const auto node =
      to_integer(trimmed(text_of(files, "/sys/bus/pci/devices/" + device + "/numa_node")));
  if (!node || *node < 0 || *node > 4096) return {};
  return static_cast<int>(*node);
}

std::optional<bool> in_container(const Files& files, const Environment& environment) {
  if (files.info("/.dockerenv") || files.info("/run/.containerenv")) return true;
  if (environment.get("KUBERNETES_SERVICE_HOST") || environment.get("container")) return true;
  const std::string groups = text_of(files, "/proc/1/cgroup");
  constexpr std::array<std::string_view, 6> kRuntimes{"docker", "kubepods", "containerd",
                                                      "libpod", "lxc",      "crio"};
  if (std::ranges::any_of(kRuntimes,
                          [&](std::string_view name) { return groups.find(name) != groups.npos; }))
    return true;
  if (!files.info("/proc")) return {};
  return false;
}

std::optional<Bytes> shared_memory_size(std::string_view mounts) {
  std::optional<Bytes> size;
  for (const std::string_view line : lines_of(mounts)) {
    const auto parts = words(line);
    if (parts.size() < 4 || parts[1] != "/dev/shm") continue;
    size = {};  // the last mount on a folder is the one that is seen
    for (const std::string_view option : split(parts[3], ',')) {
      if (option.starts_with("size=")) size = size_option(option.substr(5));
    }
  }
  return size;
}

std::optional<long> oom_kills_in(std::string_view text) {
  constexpr std::string_view kKey = "oom_kill ";
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with(kKey)) continue;
    const auto number = to_integer(trimmed(line.substr(kKey.size())));
    if (number && *number >= 0) return static_cast<long>(*number);
  }
  return std::nullopt;
}

Result<Space> space_of(const std::string& path) {
  struct statvfs space{};
  if (::statvfs(path.c_str(), &space) != 0) {
    return file_words::not_done(Error::Kind::Absent, file_words::kLookAt, path,
                                system_words(errno));
  }
  const auto block = static_cast<std::int64_t>(space.f_frsize);
  return Space{Bytes{static_cast<std::int64_t>(space.f_blocks) * block},
               Bytes{static_cast<std::int64_t>(space.f_bavail) * block}};
}

}  // namespace sx
