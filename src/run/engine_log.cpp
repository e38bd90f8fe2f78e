// The ring and the files.
#include "run/engine_log.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "sys/save_file.h"

namespace sx {
namespace {

// Longer than any traceback with its surroundings; small beside everything else.
constexpr std::size_t kRing = std::size_t{256} << 10U;

// Left free for records, the journal and the program's own files; of a small file system a quarter.
constexpr std::int64_t kReserve = std::int64_t{16} << 20U;
constexpr std::int64_t kLookEvery = std::int64_t{256} << 10U;  // others fill it meanwhile

}  // namespace

EngineLog::EngineLog(std::string folder, LogPolicy policy)
    : path_(std::move(folder) + "/engine.log"), policy_(policy) {
  policy_.file_bytes = std::max<std::int64_t>(policy_.file_bytes, 4096);
  policy_.files = std::clamp(policy_.files, 1, 100);
  open();
  if (size_ > 0) rotate();
}

bool EngineLog::open() {
  auto opened = open_for_adding(path_);
  file_ = opened ? std::move(*opened) : UniqueFd();
  struct stat status{};
  size_ = file_.open() && ::fstat(file_.get(), &status) == 0 ? status.st_size : 0;
  return file_.open();
}

void EngineLog::rotate() {
  file_.reset();
  const auto numbered = [&](int number) { return path_ + '.' + std::to_string(number); };
  for (int number = policy_.files - 1; number > 1; --number)
    ::rename(numbered(number - 1).c_str(), numbered(number).c_str());
  if (policy_.files > 1) {
    ::rename(path_.c_str(), numbered(1).c_str());
  } else {
    ::unlink(path_.c_str());
  }
  open();
}

bool EngineLog::has_room(std::size_t bytes) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (room_ < wanted) {
    struct statvfs system{};
    if (::fstatvfs(file_.get(), &system) != 0) return true;  // the write itself will tell
    const auto block = static_cast<std::int64_t>(system.f_frsize);
    const auto free = static_cast<std::int64_t>(system.f_bavail) * block;
    const auto whole = static_cast<std::int64_t>(system.f_blocks) * block;
    const std::int64_t room = free - std::min(kReserve, whole / 4);
    if (room < wanted) return false;
    room_ = std::min(room, std::max(kLookEvery, wanted));
  }
  room_ -= wanted;
  return true;
}

// All of it or, where the disk does not take it, none that counts: what was cut is cut back.
bool EngineLog::write(std::string_view bytes) {
  if (!file_.open() && !open()) return false;
  if (!has_room(bytes.size())) return false;
  const std::int64_t before = size_;
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      if (::ftruncate(file_.get(), before) == 0) size_ = before;
      return false;
    }
    size_ += count;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void EngineLog::take(std::string_view bytes) {
  taken_ += bytes.size();
  remember(bytes);
  if (size_ + static_cast<std::int64_t>(bytes.size()) > policy_.file_bytes && size_ > 0) rotate();
  if (lost_untold_ > 0) {
    const std::string line =
        "\n[sextant] " + std::to_string(lost_untold_) + " bytes could not be written here\n";
    if (!write(line)) {
      lost_ += bytes.size();
      lost_untold_ += bytes.size();
      return;
    }
    lost_untold_ = 0;
  }
  if (write(bytes)) return;
  lost_ += bytes.size();
  lost_untold_ += bytes.size();
}

void EngineLog::remember(std::string_view bytes) {
  if (bytes.size() >= kRing) {
    ring_.assign(bytes.substr(bytes.size() - kRing));
    ring_at_ = 0;
    return;
  }
  const std::size_t room = kRing - ring_.size();
  const std::size_t appended = std::min(room, bytes.size());
  ring_.append(bytes.substr(0, appended));
  bytes.remove_prefix(appended);
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), kRing - ring_at_);
    ring_.replace(ring_at_, piece, bytes.substr(0, piece));
    ring_at_ = (ring_at_ + piece) % kRing;
    bytes.remove_prefix(piece);
  }
}

std::string EngineLog::tail(std::size_t most) const {
  std::string all = ring_.substr(ring_at_) + ring_.substr(0, ring_at_);
  const bool whole = all.size() <= most && taken_ == all.size();
  if (all.size() > most) all.erase(0, all.size() - most);
  if (whole) return all;
  const std::size_t line = all.find('\n');
  return line == std::string::npos || line + 1 == all.size() ? all : all.substr(line + 1);
}

}  // namespace sx
