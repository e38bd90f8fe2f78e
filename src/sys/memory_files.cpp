// Files in memory, for tests: as strict as the real ones.
#include <algorithm>
#include <filesystem>

#include "sys/files.h"
#include "sys/files_words.h"

namespace sx {
namespace {

using namespace file_words;

constexpr int kMostLinks = 40;  // as Linux has it

std::string normal(const std::string& path) {
  std::string clean = std::filesystem::path(path).lexically_normal().string();
  while (clean.size() > 1 && clean.ends_with('/')) clean.pop_back();
  return clean;
}

}  // namespace

MemoryFiles& MemoryFiles::put(std::string path, Entry entry) {
  entries_.insert_or_assign(normal(path), std::move(entry));
  return *this;
}

MemoryFiles& MemoryFiles::add(std::string path, std::string bytes) {
  const Bytes length{static_cast<std::int64_t>(bytes.size())};
  return put(std::move(path), {.bytes = std::move(bytes), .length = length});
}

MemoryFiles& MemoryFiles::add_sparse(std::string path, std::string front, Bytes length) {
  return put(std::move(path), {.bytes = std::move(front), .length = length});
}

MemoryFiles& MemoryFiles::add_link(std::string path, std::string target) {
  return put(std::move(path), {.bytes = std::move(target), .kind = Entry::Kind::Link});
}

MemoryFiles& MemoryFiles::add_refused(std::string path) {
  return put(std::move(path), {.kind = Entry::Kind::Refused});
}

MemoryFiles& MemoryFiles::add_device(std::string path) {
  return put(std::move(path), {.kind = Entry::Kind::Device});
}

MemoryFiles& MemoryFiles::set_permissions(const std::string& path, unsigned permissions) {
  permissions_.insert_or_assign(normal(path), permissions);
  return *this;
}

std::optional<std::string> MemoryFiles::resolved(const std::string& path) const {
  std::string now = normal(path);
  for (int links = 0; links < kMostLinks; ++links) {
    bool followed = false;
    for (std::size_t end = now.find('/', 1); !followed; end = now.find('/', end + 1)) {
      const std::string front = now.substr(0, end);
      const auto entry = entries_.find(front);
      if (entry != entries_.end() && entry->second.kind == Entry::Kind::Link) {
        const auto parent = std::filesystem::path(front).parent_path();
        const std::string rest = end == std::string::npos ? "" : now.substr(end);
        now = normal((parent / entry->second.bytes).string() + rest);
        followed = true;
      }
      if (end == std::string::npos) break;
    }
    if (!followed) return now;
  }
  return {};
}

bool MemoryFiles::is_folder(const std::string& path) const {
  const std::string inside = path.ends_with('/') ? path : path + "/";
  const auto entry = entries_.lower_bound(inside);
  return entry != entries_.end() && entry->first.starts_with(inside);
}

Result<const MemoryFiles::Entry*> MemoryFiles::opened(const std::string& path) const {
  const auto place = resolved(path);
  if (!place) return not_done(Error::Kind::Damaged, kRead, path, kManyLinks);
  const auto entry = entries_.find(*place);
  if (entry == entries_.end()) {
    if (is_folder(*place)) return not_done(Error::Kind::Refused, kRead, path, kFolder);
    return not_done(Error::Kind::Absent, kRead, path, kAbsent);
  }
  if (entry->second.kind == Entry::Kind::Refused) {
    return not_done(Error::Kind::Refused, kRead, path, kDenied);
  }
  if (entry->second.kind == Entry::Kind::Device) {
    return not_done(Error::Kind::Refused, kRead, path, kNotRegular);
  }
  ++reads_[*place];
  return &entry->second;
}

Result<std::string> MemoryFiles::read(const std::string& path, Bytes limit) const {
  SX_TRY(const Entry* entry, opened(path));
  if (entry->length > limit) {
    return not_done(Error::Kind::TooLarge, kRead, path, longer_than(limit));
  }
  std::string bytes = entry->bytes;
  bytes.resize(static_cast<std::size_t>(entry->length.count()));
  return bytes;
}

Result<std::string> MemoryFiles::read_front(const std::string& path, Bytes length) const {
  SX_TRY(const Entry* entry, opened(path));
  const Bytes wanted = std::min(length, entry->length);
  std::string bytes = entry->bytes.substr(0, static_cast<std::size_t>(wanted.count()));
  bytes.resize(static_cast<std::size_t>(wanted.count()));
  return bytes;
}

Result<FileInfo> MemoryFiles::info(const std::string& path) const {
  const auto place = resolved(path);
  if (!place) return not_done(Error::Kind::Damaged, kLookAt, path, kManyLinks);
  const auto set = permissions_.find(*place);
  FileInfo info;
  if (set != permissions_.end()) info.permissions = set->second;
  const auto entry = entries_.find(*place);
  if (entry == entries_.end()) {
    if (!is_folder(*place)) return not_done(Error::Kind::Absent, kLookAt, path, kAbsent);
    info.kind = FileInfo::Kind::Directory;
  } else if (entry->second.kind == Entry::Kind::Device) {
    info.kind = FileInfo::Kind::Other;
  } else {
    info.bytes = entry->second.length;
  }
  return info;
}

Result<std::vector<std::string>> MemoryFiles::list(const std::string& path) const {
  const auto place = resolved(path);
  if (!place) return not_done(Error::Kind::Damaged, kList, path, kManyLinks);
  if (!is_folder(*place)) {
    if (entries_.contains(*place)) {
      return not_done(Error::Kind::Absent, kList, path, kNoFolder);
    }
    return not_done(Error::Kind::Absent, kList, path, kAbsent);
  }
  const std::string inside = place->ends_with('/') ? *place : *place + "/";
  std::vector<std::string> names;
  for (auto entry = entries_.lower_bound(inside); entry != entries_.end(); ++entry) {
    if (!entry->first.starts_with(inside)) break;
    const std::string rest = entry->first.substr(inside.size());
    const std::string name = rest.substr(0, rest.find('/'));
    if (!name.empty()) names.push_back(name);
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

Result<std::string> MemoryFiles::link_target(const std::string& path) const {
  const std::filesystem::path whole = normal(path);
  const auto folder = resolved(whole.parent_path().string());
  const auto entry = entries_.find(
      folder ? normal((std::filesystem::path(*folder) / whole.filename()).string()) : "");
  if (entry == entries_.end()) {
    return not_done(Error::Kind::Absent, kFollow, path, kAbsent);
  }
  if (entry->second.kind != Entry::Kind::Link) {
    return not_done(Error::Kind::Unsupported, kFollow, path, kNoLink);
  }
  return entry->second.bytes;
}

}  // namespace sx
