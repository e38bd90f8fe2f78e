// Locked beside, written beside, moved over.
#include "gateway/key_store.h"

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "sys/files.h"
#include "sys/save_file.h"

namespace sx {
namespace {

constexpr Bytes kMostBytes = mib(4);  // 10 000 keys with all their limits are below

// What a link means: moved over the link itself, a change would never reach those who read the file
// by its own name, and a revoked key would go on there.
std::string behind_links(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

}  // namespace

FileLook look_at(const std::string& path) {
  struct stat there{};
  if (::stat(path.c_str(), &there) != 0) return {};
  return {.there = true,
          .seconds = there.st_mtim.tv_sec,
          .nanoseconds = there.st_mtim.tv_nsec,
          .size = there.st_size,
          .mode = there.st_mode,
          .node = there.st_ino};
}

Result<std::vector<KeyRow>> load_keys(const std::string& path) {
  SX_TRY(const auto info, real_files().info(path));
  if (info.kind != FileInfo::Kind::File)
    return fail(Error::Kind::Refused, path + " is not a file", path + " 不是普通文件");
  constexpr unsigned kTooOpen = S_IWGRP | S_IRWXO;
  if ((info.permissions.value_or(0) & kTooOpen) != 0)
    return fail(
        Error::Kind::Refused,
        path + " is open to other users of this machine; `chmod 600 " + path + "` closes it",
        path + " 对本机其他用户开放；用 `chmod 600 " + path + "` 收回权限");
  SX_TRY(const auto text, real_files().read(path, kMostBytes));
  auto rows = read_key_file(text);
  if (!rows)
    return fail(rows.error().kind, path + ": " + rows.error().what,
                path + "：" + rows.error().chinese);
  return rows;
}

Result<void> change_keys(const std::string& named,
                         const std::function<Result<void>(std::vector<KeyRow>&)>& change) {
  const std::string path = behind_links(named);
  SX_TRY(const UniqueFd lock, lock_beside(path));
  auto rows = load_keys(path);
  if (!rows && rows.error().kind == Error::Kind::Absent) rows = std::vector<KeyRow>{};
  if (!rows) return std::unexpected(rows.error());
  if (auto changed = change(*rows); !changed) return changed;
  return save_file_as_it_was(path, key_file_text(*rows), 0600);
}

std::string now_of_key() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace sx
