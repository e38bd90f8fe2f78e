// The lock is of the kernel's: it goes with the process, whatever ends it.
#include "run/wanted_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <limits>

#include "base/strings.h"
#include "run/new_mark.h"
#include "sys/files.h"
#include "sys/save_file.h"
#include "sys/system_words.h"

namespace sx {
namespace {

constexpr std::string_view kFront = "wanted.", kEnd = ".json", kPart = ".json.part";
constexpr unsigned kOursAlone = 0600;  // it holds environments

UniqueFd opened(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

// "wanted.….json", or what was being written under that name: "wanted.….json.part17", of
// process 17.
bool nobody_uses(const std::string& folder, const std::string& name) {
  if (const std::size_t at = name.rfind(kPart); at != std::string::npos) {
    const auto pid = to_integer(name.substr(at + kPart.size()));
    return pid && *pid > 0 && *pid <= std::numeric_limits<pid_t>::max() &&
           ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH;
  }
  const UniqueFd file = opened(folder + '/' + name);
  return file.open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

Result<WantedFile> WantedFile::save(const StateFolder& folder, std::string_view text) {
  std::string path = folder.path + '/' + std::string(kFront) + new_mark() + std::string(kEnd);
  if (auto saved = save_file(path, text, kOursAlone); !saved) return std::unexpected(saved.error());
  UniqueFd lock = opened(path);
  if (!lock.open()) {
    const Both why = system_words(errno);
    ::unlink(path.c_str());
    return fail(Error::Kind::Refused, "cannot read " + path + ": " + why.english,
                "无法读取 " + path + "：" + why.chinese);
  }
  ::flock(lock.get(), LOCK_SH | LOCK_NB);
  return WantedFile(std::move(path), std::move(lock));
}

// The daemon has taken it, or nobody will.
WantedFile::~WantedFile() {
  if (lock_.open()) ::unlink(path_.c_str());
}

void clear_wanted_files(const StateFolder& folder) {
  const auto names = real_files().list(folder.path);
  if (!names) return;
  for (const std::string& name : *names) {
    const bool ours = name.starts_with(kFront) && name.contains(kEnd);
    if (ours && nobody_uses(folder.path, name)) ::unlink((folder.path + '/' + name).c_str());
  }
}

}  // namespace sx
