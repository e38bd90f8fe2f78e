// The lock is of the kernel's: it goes with the process, whatever ends it.
#include "run/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/shown_word.h"
#include "sys/procfs.h"
#include "sys/save_file.h"
#include "sys/system_words.h"

namespace sx {
namespace {

// The first that is set counts.
struct Above {
  std::string_view variable, behind;
};
constexpr std::array<Above, 3> kAbove{
    {{"SEXTANT_STATE", ""}, {"XDG_STATE_HOME", "/sextant"}, {"HOME", "/.local/state/sextant"}}};

std::string lock_of(const StateFolder& folder) { return folder.path + "/lock"; }

}  // namespace

bool is_deployment_name(std::string_view name) {
  constexpr std::size_t kMost = 64;
  const auto may_stand = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= kMost && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, may_stand);
}

Result<StateFolder> state_folder(const Environment& environment, const std::string& name) {
  if (!is_deployment_name(name))
    return fail(Error::Kind::Usage,
                "a deployment's name holds up to 64 letters, digits, '-', '_' and '.', and begins "
                "with neither '-' nor '.': " +
                    shown_word(name),
                "部署名称最多 64 个字符，只能含字母、数字、“-”、“_”和“.”，且不能以“-”或“.”开头：" +
                    shown_word(name));
  for (const auto& [variable, behind] : kAbove) {
    const std::string value = environment.get(variable).value_or("");
    if (value.empty()) continue;
    if (value.front() == '/') return StateFolder{value + std::string(behind) + '/' + name};
    const std::string said(variable);
    return fail(Error::Kind::Refused,
                "there is no folder for the state: " + said +
                    " is not an absolute path: " + shown_word(value),
                "没有可存放状态的目录：" + said + " 不是绝对路径：" + shown_word(value));
  }
  return fail(
      Error::Kind::Refused,
      "there is no folder for the state: SEXTANT_STATE, XDG_STATE_HOME and HOME are not set",
      "没有可存放状态的目录：SEXTANT_STATE、XDG_STATE_HOME 和 HOME 都没有设置");
}

bool is_full(const StateFolder& folder) {
  constexpr Bytes kFull = kib(64);  // less than a record takes with its file and its folder
  const auto space = space_of(folder.path);
  return space && space->free < kFull;
}

Result<void> own_folder(const std::string& path) {
  if (auto made = make_folders(path); !made) return made;
  const UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!folder.open() && (errno == ELOOP || errno == ENOTDIR))
    return fail(Error::Kind::Refused, path + " is a link, not a folder of this user",
                path + " 是链接，不是当前用户自己的目录");
  if (!folder.open() || ::fstat(folder.get(), &status) != 0) {
    const Both why = system_words(errno);
    return fail(Error::Kind::Refused, "cannot read " + path + ": " + why.english,
                "无法读取 " + path + "：" + why.chinese);
  }
  if (status.st_uid != ::geteuid())
    return fail(Error::Kind::Refused, path + " belongs to another user", path + " 属于其他用户");
  if ((status.st_mode & S_IWOTH) != 0)
    return fail(Error::Kind::Refused, "everybody may write to " + path,
                "任何用户都可以写入 " + path);
  return {};
}

Result<UniqueFd> take_state_folder(const StateFolder& folder) {
  for (const std::string& path : {folder.path, folder.replicas(), folder.reports()}) {
    if (auto own = own_folder(path); !own) return std::unexpected(own.error());
  }
  const std::string path = lock_of(folder);
  UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.open()) {
    const Both why = system_words(errno);
    return fail(Error::Kind::Refused, "cannot write " + path + ": " + why.english,
                "无法写入 " + path + "：" + why.chinese);
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(Error::Kind::Refused, "another daemon works in " + folder.path,
                "已有另一个守护进程在使用 " + folder.path);
  return lock;
}

bool state_folder_taken(const StateFolder& folder) {
  const UniqueFd lock(::open(lock_of(folder).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return lock.open() && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace sx
