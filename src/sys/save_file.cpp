// A reader sees the old file or the new one, never a half.
#include "sys/save_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "sys/system_words.h"

namespace sx {
namespace {

std::unexpected<Error> cannot_write(const std::string& path) {
  const Both why = system_words(errno);
  return fail(Error::Kind::Refused, "cannot write " + path + ": " + why.english,
              "无法写入 " + path + "：" + why.chinese);
}

std::unexpected<Error> not_a_file(const std::string& path) {
  return fail(Error::Kind::Refused,
              "cannot write " + path + ": something that is not a file has this name",
              "无法写入 " + path + "：同名的不是普通文件");
}

// Permissions last: a change of owner takes some of them away.
bool made_like(int file, const struct stat& was) {
  struct stat now{};
  if (::fstat(file, &now) != 0) return false;
  const bool owned = now.st_uid == was.st_uid && now.st_gid == was.st_gid;
  constexpr mode_t kPermissions = 07777;
  return (owned || ::fchown(file, was.st_uid, was.st_gid) == 0) &&
         ::fchmod(file, was.st_mode & kPermissions) == 0;
}

// `like`: what it is to look as; null: as `mode` says.
Result<void> save(const std::string& path, std::string_view text, unsigned mode,
                  const struct stat* like) {
  const std::string beside = path + ".part" + std::to_string(::getpid());
  // What has this name is of a process that was killed halfway and had our number, which in a
  // container is the same each time.
  ::unlink(beside.c_str());
  const UniqueFd file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.open()) return cannot_write(path);
  const auto given_up = [&] {
    auto error = cannot_write(path);
    ::unlink(beside.c_str());
    return error;
  };
  if (like != nullptr && !made_like(file.get(), *like)) {
    ::unlink(beside.c_str());
    return fail(Error::Kind::Refused,
                "cannot write " + path + ": its owner and group would not be the same any more",
                "无法写入 " + path + "：写入后无法保持原来的属主和属组");
  }
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return given_up();
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(file.get()) != 0 || ::rename(beside.c_str(), path.c_str()) != 0) return given_up();
  return {};
}

}  // namespace

Result<void> save_file(const std::string& path, std::string_view text, unsigned mode) {
  struct stat there{};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) return not_a_file(path);
  return save(path, text, mode, nullptr);
}

Result<void> save_file_as_it_was(const std::string& path, std::string_view text, unsigned mode) {
  struct stat there{};
  const bool is_there = ::stat(path.c_str(), &there) == 0;
  if (is_there && !S_ISREG(there.st_mode)) return not_a_file(path);
  constexpr unsigned kOursAlone = 0600;  // until it looks as the other one did
  return save(path, text, is_there ? kOursAlone : mode, is_there ? &there : nullptr);
}

Result<UniqueFd> open_for_adding(const std::string& path) {
  constexpr int kHow = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  UniqueFd file(::open(path.c_str(), kHow, 0600));
  struct stat there{};
  const bool opened = file.open() && ::fstat(file.get(), &there) == 0;
  if (!opened && errno != ENXIO && errno != EISDIR && errno != ELOOP) return cannot_write(path);
  if (!opened || !S_ISREG(there.st_mode)) return not_a_file(path);
  return file;
}

Result<UniqueFd> lock_beside(const std::string& path) {
  constexpr int kTries = 100;  // 5 s: whoever holds it writes a few MiB
  constexpr auto kPause = std::chrono::milliseconds(50);
  const std::string name = path + ".lock";
  UniqueFd file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!file.open()) return cannot_write(name);
  for (int i = 0; i < kTries; ++i) {
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
    if (errno != EWOULDBLOCK && errno != EINTR) return cannot_write(name);
    std::this_thread::sleep_for(kPause);
  }
  return fail(Error::Kind::Refused,
              "cannot write " + path + ": another process has held " + name + " for 5 s",
              "无法写入 " + path + "：另一个进程占用 " + name + " 已超过 5 s");
}

Result<void> make_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string folder = path.substr(0, end);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return cannot_write(folder);
    if (end == std::string::npos) return {};
  }
}

}  // namespace sx
