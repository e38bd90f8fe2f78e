// The real file system. Opening never blocks and never takes a terminal; what is no regular file is
// not read.
#include "sys/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/unique_fd.h"
#include "sys/files_words.h"

namespace sx {
namespace {

using namespace file_words;

constexpr std::size_t kMostNames = 100'000;
constexpr std::int64_t kFirstRoom = std::int64_t{1}
                                    << 20U;  // a file's own length is believed up to here

std::unexpected<Error> failed(Clause deed, const std::string& path, int error) {
  const auto say = [&](Error::Kind kind, const Both& why) {
    return not_done(kind, deed, path, why);
  };
  switch (error) {
    case ENOENT:
      return say(Error::Kind::Absent, kAbsent);
    case ENOTDIR:
      return say(Error::Kind::Absent, kNoFolder);
    case EACCES:
    case EPERM:
      return say(Error::Kind::Refused, kDenied);
    case EISDIR:
      return say(Error::Kind::Refused, kFolder);
    case ELOOP:
      return say(Error::Kind::Damaged, kManyLinks);
    case ENAMETOOLONG:
      return say(Error::Kind::Refused, kLongName);
    case EIO:
      return say(Error::Kind::Damaged, kDisk);
    case EMFILE:
    case ENFILE:
      return say(Error::Kind::Refused, kManyOpen);
    case ENXIO:
      return say(Error::Kind::Refused, kNotRegular);
    default:
      return say(Error::Kind::Damaged,
                 {"system error " + std::to_string(error), "系统错误 " + std::to_string(error)});
  }
}

// A path with a zero byte in it would silently name another file.
bool has_zero(const std::string& path) { return path.find('\0') != std::string::npos; }

template <class Call>
auto retried(Call call) {
  auto answer = call();
  while (answer < 0 && errno == EINTR) answer = call();
  return answer;
}

struct OpenFile {
  UniqueFd fd;
  std::int64_t length = 0;  // as the system tells; 0 for the files of /proc
};

Result<OpenFile> open_regular(const std::string& path) {
  if (has_zero(path)) return failed(kRead, path.substr(0, path.find('\0')), ENOENT);
  UniqueFd fd(
      retried([&] { return ::open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC); }));
  if (!fd.open()) return failed(kRead, path, errno);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return failed(kRead, path, errno);
  if (S_ISDIR(status.st_mode)) return failed(kRead, path, EISDIR);
  if (!S_ISREG(status.st_mode)) return failed(kRead, path, ENXIO);
  return OpenFile{.fd = std::move(fd), .length = status.st_size};
}

// At most `most` bytes, fewer at the end of the file.
Result<std::string> read_up_to(const OpenFile& file, const std::string& path, std::int64_t most) {
  std::string bytes;
  std::size_t have = 0;
  std::int64_t room =
      std::min(most, std::max<std::int64_t>(std::min(file.length + 1, kFirstRoom), 4096));
  while (true) {
    bytes.resize(static_cast<std::size_t>(room));
    const auto got =
        retried([&] { return ::read(file.fd.get(), bytes.data() + have, bytes.size() - have); });
    if (got < 0) return failed(kRead, path, errno);
    have += static_cast<std::size_t>(got);
    if (got == 0 || static_cast<std::int64_t>(have) == most) break;
    if (have == bytes.size())
      room = std::min(most, std::max(room * 2, std::min(file.length + 1, room * 16)));
  }
  bytes.resize(have);
  return bytes;
}

class RealFiles final : public Files {
 public:
  Result<std::string> read(const std::string& path, Bytes limit) const override {
    SX_TRY(const OpenFile file, open_regular(path));
    SX_TRY(std::string bytes, read_up_to(file, path, limit.count() + 1));
    if (static_cast<std::int64_t>(bytes.size()) <= limit.count()) return bytes;
    return not_done(Error::Kind::TooLarge, kRead, path, longer_than(limit));
  }

  Result<std::string> read_front(const std::string& path, Bytes length) const override {
    SX_TRY(const OpenFile file, open_regular(path));
    return read_up_to(file, path, length.count());
  }

  Result<FileInfo> info(const std::string& path) const override {
    struct stat status{};
    if (has_zero(path)) return failed(kLookAt, path.substr(0, path.find('\0')), ENOENT);
    if (::stat(path.c_str(), &status) != 0) return failed(kLookAt, path, errno);
    FileInfo info{.kind = FileInfo::Kind::Other,
                  .bytes = Bytes{status.st_size},
                  .changed = status.st_mtim.tv_sec,
                  .permissions = status.st_mode & 07777U};
    if (S_ISREG(status.st_mode)) info.kind = FileInfo::Kind::File;
    if (S_ISDIR(status.st_mode)) info.kind = FileInfo::Kind::Directory;
    return info;
  }

  Result<std::vector<std::string>> list(const std::string& path) const override {
    if (has_zero(path)) return failed(kList, path.substr(0, path.find('\0')), ENOENT);
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
    if (folder == nullptr) return failed(kList, path, errno);
    std::vector<std::string> names;
    while (true) {
      errno = 0;
      const dirent* entry = ::readdir(folder.get());
      if (entry == nullptr && errno != 0) return failed(kList, path, errno);
      if (entry == nullptr) break;
      const std::string_view name = static_cast<const char*>(entry->d_name);
      if (name == "." || name == "..") continue;
      if (names.size() == kMostNames) {
        return not_done(Error::Kind::TooLarge, kList, path, kManyNames);
      }
      names.emplace_back(name);
    }
    std::ranges::sort(names);
    return names;
  }

  Result<std::string> link_target(const std::string& path) const override {
    std::array<char, 4096> target{};
    if (has_zero(path)) return failed(kFollow, path.substr(0, path.find('\0')), ENOENT);
    const auto length = ::readlink(path.c_str(), target.data(), target.size());
    if (length < 0 && errno == EINVAL)
      return not_done(Error::Kind::Unsupported, kFollow, path, kNoLink);
    if (length < 0) return failed(kFollow, path, errno);
    return std::string(target.data(), static_cast<std::size_t>(length));
  }
};

}  // namespace

const Files& real_files() {
  static const RealFiles files;
  return files;
}

}  // namespace sx
