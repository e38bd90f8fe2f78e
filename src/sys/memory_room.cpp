// Groups of version 1 and 2 differ in the names of their files alone.
#include "sys/memory_room.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "sys/procfs.h"

namespace sx {
namespace {

constexpr Bytes kMostText = mib(1);
constexpr int kDeepestGroup = 32;

struct GroupFiles {
  std::string root, limit, usage, cache;  // cache: the word for it in memory.stat
};

std::optional<Bytes> number_in(const Files& files, const std::string& path) {
  const std::string text = files.read(path, kMostText).value_or("");
  const auto number = to_integer(trimmed(text));  // "max": there is no limit
  if (!number || *number < 0) return std::nullopt;
  return Bytes{*number};
}

// "RssAnon:  123 kB", "inactive_file 456".
std::optional<std::int64_t> word_after(std::string_view text, std::string_view key) {
  for (std::string_view line : lines_of(text)) {
    if (!line.starts_with(key)) continue;
    line = trimmed(line.substr(key.size()));
    const auto number = to_integer(line.substr(0, line.find(' ')));
    if (number && *number >= 0) return *number;
  }
  return std::nullopt;
}

std::optional<Bytes> room_of_group(const Files& files, const GroupFiles& names,
                                   const std::string& path) {
  const std::string folder = names.root + (path == "/" ? "" : path) + '/';
  const auto limit = number_in(files, folder + names.limit);
  const auto usage = number_in(files, folder + names.usage);
  if (!limit || !usage) return std::nullopt;
  const std::string stat = files.read(folder + "memory.stat", kMostText).value_or("");
  const Bytes cache{word_after(stat, names.cache).value_or(0)};
  return std::max(*limit - std::max(*usage - cache, Bytes{0}), Bytes{0});
}

}  // namespace

std::optional<Bytes> memory_room(const Files& files) {
  auto room = parse_meminfo(files.read("/proc/meminfo", kMostText).value_or("")).available;
  if (!room) return std::nullopt;
  const std::string groups = files.read("/proc/self/cgroup", kMostText).value_or("");
  for (const std::string_view line : lines_of(groups)) {
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const auto controllers = split(parts[1], ',');
    const bool old = std::ranges::find(controllers, "memory") != controllers.end();
    if (!old && !parts[1].empty()) continue;
    const GroupFiles names =
        old ? GroupFiles{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                         "total_inactive_file "}
            : GroupFiles{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};
    std::string path(line.substr(parts[0].size() + parts[1].size() + 2));
    if (path.find("..") != path.npos) path = "/";  // outside of what this container sees
    for (int depth = 0; depth < kDeepestGroup; ++depth) {
      if (const auto left = room_of_group(files, names, path.empty() ? "/" : path))
        room = std::min(*room, *left);
      if (path.empty() || path == "/") break;
      path.resize(path.rfind('/') == path.npos ? 0 : path.rfind('/'));
    }
  }
  return room;
}

std::optional<Bytes> held_memory(const Files& files, const std::vector<pid_t>& processes) {
  Bytes held;
  for (const pid_t pid : processes) {
    const auto text = files.read("/proc/" + std::to_string(pid) + "/status", kMostText);
    const auto own = text ? word_after(*text, "RssAnon:") : std::nullopt;
    const auto shared = text ? word_after(*text, "RssShmem:") : std::nullopt;
    if (!own || !shared) return std::nullopt;
    held += kib(*own) + kib(*shared);
  }
  return held;
}

}  // namespace sx
