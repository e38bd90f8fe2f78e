// /proc/PID/{cmdline,environ,cwd,exe,limits,ns/mnt,task/*/children}.
#include "sys/process_files.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace sx {
namespace {

constexpr Bytes kFileLimit = mib(4);  // Linux gives at most 2 MiB of arguments and environment
constexpr std::size_t kMostThreads = 256;
constexpr std::size_t kMostChildren = 1024;

std::string folder_of(int pid) { return "/proc/" + std::to_string(pid); }

// Texts that end with a NUL each.
std::vector<std::string> parts_of(std::string_view bytes) {
  std::vector<std::string> parts;
  while (!bytes.empty()) {
    const auto end = std::min(bytes.find('\0'), bytes.size());
    parts.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return parts;
}

std::optional<std::string> link(const Files& files, const std::string& path) {
  auto target = files.link_target(path);
  return target ? std::optional(std::move(*target)) : std::nullopt;
}

}  // namespace

Result<ProcessFiles> process_files(const Files& files, int pid) {
  const std::string folder = folder_of(pid);
  auto cmdline = files.read(folder + "/cmdline", kFileLimit);
  if (!cmdline) {
    const std::string number = std::to_string(pid);
    if (cmdline.error().kind == Error::Kind::Absent)
      return fail(Error::Kind::Absent, "there is no process " + number, "没有进程 " + number);
    return std::unexpected(std::move(cmdline.error()));
  }
  ProcessFiles process;
  process.words = parts_of(*cmdline);
  if (const auto environ = files.read(folder + "/environ", kFileLimit)) {
    process.environment.emplace();
    for (const auto& pair : parts_of(*environ)) {
      const auto equals = pair.find('=');
      if (equals == std::string::npos || equals == 0) continue;
      process.environment->emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
  }
  process.folder = link(files, folder + "/cwd");
  process.program = link(files, folder + "/exe");
  if (const auto limits = files.read(folder + "/limits", kFileLimit))
    process.limits = parse_limits(*limits);
  const auto own = link(files, "/proc/self/ns/mnt");
  const auto its = link(files, folder + "/ns/mnt");
  process.other_mounts = own && its && *own != *its;
  return process;
}

std::vector<int> children_of(const Files& files, int pid) {
  std::vector<int> children;
  const std::string tasks = folder_of(pid) + "/task";
  const auto threads = files.list(tasks);
  if (!threads) return children;
  std::size_t count = 0;
  for (const auto& thread : *threads) {
    if (++count > kMostThreads) break;
    const auto text = files.read(tasks + '/' + thread + "/children", kFileLimit);
    if (!text) continue;
    std::string_view rest = *text;
    while (!rest.empty() && children.size() < kMostChildren) {
      const auto end = std::min(rest.find_first_of(" \n"), rest.size());
      int child = 0;
      const auto parsed = std::from_chars(rest.data(), rest.data() + end, child);
      if (parsed.ec == std::errc() && child > 0) children.push_back(child);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return children;
}

}  // namespace sx
