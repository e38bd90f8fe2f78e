// Folders and small files below the mount of cgroup2; what systemd manages and did not hand over is
// left alone.
#include "sys/control_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include "base/strings.h"
#include "sys/files.h"
#include "sys/procfs.h"
#include "sys/system_words.h"

namespace sx {
namespace {

constexpr Bytes kMostText = mib(1);
constexpr std::string_view kName = "sextant-";
constexpr int kMostAbove = 64;  // groups above ours that are asked

bool is_ours(const std::string& group) {
  const std::size_t slash = group.rfind('/');
  return group.starts_with('/') && slash != std::string::npos && slash > 0 &&
         std::string_view(group).substr(slash + 1).starts_with(kName);
}

bool write_word(const std::string& path, std::string_view word) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  return file.open() &&
         ::write(file.get(), word.data(), word.size()) == static_cast<ssize_t>(word.size());
}

// Set by systemd on groups whose inside it leaves to the service (Delegate=yes).
bool handed_over(const std::string& group) {
  std::array<char, 2> value{};
  for (const char* name : {"trusted.delegate", "user.delegate"}) {
    if (::getxattr(group.c_str(), name, value.data(), value.size()) == 1 && value[0] == '1')
      return true;
  }
  return false;
}

std::unexpected<Error> none_here(std::string_view english, std::string_view chinese) {
  return fail(Error::Kind::Unsupported, std::string(english), std::string(chinese));
}

}  // namespace

std::string own_group_folder(std::string_view cgroup, std::string_view mountinfo) {
  std::string_view own;
  for (const std::string_view line : lines_of(cgroup)) {
    if (line.starts_with("0::/")) own = line.substr(3);
  }
  if (own.empty()) return {};
  for (const std::string_view line : lines_of(mountinfo)) {
    // "36 35 0:30 ROOT MOUNT options … - cgroup2 source options"
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos || !line.substr(dash + 3).starts_with("cgroup2 ")) continue;
    const auto words = split(line.substr(0, dash), ' ');
    if (words.size() < 5) continue;
    const std::string_view root = words[3];
    std::string_view below = own;
    if (root != "/") {
      if (!below.starts_with(root)) continue;
      below.remove_prefix(root.size());
      if (!below.empty() && below.front() != '/') continue;
    }
    if (below == "/") below = "";
    return std::string(words[4]) + std::string(below);
  }
  return {};
}

Result<std::string> group_home() {
  const auto cgroup = real_files().read("/proc/self/cgroup", kMostText);
  const auto mounts = real_files().read("/proc/self/mountinfo", kMostText);
  if (!cgroup || !mounts) return none_here("/proc cannot be read", "无法读取 /proc");
  const std::string own = own_group_folder(*cgroup, *mounts);
  struct stat status{};
  if (own.empty() || ::stat((own + "/cgroup.procs").c_str(), &status) != 0)
    return none_here("there are no control groups of version 2 here", "这里没有 cgroup v2");
  if (::access("/run/systemd/system", F_OK) == 0 && !handed_over(own))
    return none_here("systemd manages the control group and has not delegated it (Delegate=yes)",
                     "控制组由 systemd 管理且未委托（Delegate=yes）");
  if (::access(own.c_str(), W_OK) != 0 || ::access((own + "/cgroup.procs").c_str(), W_OK) != 0)
    return none_here("our own control group may not be written to", "没有写入自身控制组的权限");
  return own;
}

std::string group_of(const std::string& home, std::string_view mark) {
  return home + '/' + std::string(kName) + std::string(mark);
}

Result<void> make_group(const std::string& group) {
  if (is_ours(group) && (::mkdir(group.c_str(), 0755) == 0 || errno == EEXIST)) return {};
  const Both why = system_words(is_ours(group) ? errno : EINVAL);
  return fail(Error::Kind::Refused, "cannot make the control group " + group + ": " + why.english,
              "无法建立控制组 " + group + "：" + why.chinese);
}

UniqueFd group_door(const std::string& group) {
  return UniqueFd(::open((group + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
}

std::vector<ProcessIdentity> group_members(const std::string& group) {
  std::vector<ProcessIdentity> members;
  if (!is_ours(group)) return members;
  const auto text = real_files().read(group + "/cgroup.procs", kMostText);
  if (!text) return members;
  for (const std::string_view line : lines_of(*text)) {
    pid_t pid = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), pid);
    if (read.ec != std::errc()) continue;
    if (const auto process = identity_of(pid)) members.push_back(*process);
  }
  return members;
}

bool kill_group(const std::string& group) {
  if (!is_ours(group)) return false;
  if (write_word(group + "/cgroup.kill", "1")) return true;
  // Before Linux 5.14: one after another, until a look finds none that was born meanwhile.
  constexpr int kLooks = 16;
  bool any = false;
  for (int i = 0; i < kLooks; ++i) {
    const auto members = group_members(group);
    if (members.empty()) break;
    for (const ProcessIdentity& process : members) any = send_signal(process, SIGKILL) || any;
  }
  return any;
}

void remove_group(const std::string& group) {
  if (is_ours(group)) ::rmdir(group.c_str());
}

std::optional<GroupOomKills> group_oom_kills(const std::string& group) {
  if (!is_ours(group)) return std::nullopt;
  std::string_view at(group);
  for (int i = 0; i < kMostAbove && at.size() > 1; ++i) {
    if (const auto text = real_files().read(std::string(at) + "/memory.events", kMostText)) {
      const auto count = oom_kills_in(*text);
      if (!count) return std::nullopt;
      return GroupOomKills{.count = *count, .own = i == 0};
    }
    // Out of the hierarchy there is nothing of this name; a missing cgroup.procs ends the walk.
    at = at.substr(0, at.rfind('/'));
    if (!real_files().info(std::string(at) + "/cgroup.procs")) break;
  }
  return std::nullopt;
}

}  // namespace sx
