// Plain reads into one buffer: as fast as mapping the file, and the same for a pipe.
#include "sys/stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/unique_fd.h"
#include "sys/files_words.h"
#include "sys/system_words.h"

namespace sx {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10U;  // half of a second cache

std::unexpected<Error> failed(const std::string& path, int error) {
  const std::string name = path == "-" ? "standard input" : path;
  const std::string chinese = path == "-" ? "标准输入" : path;
  const Error::Kind kind = error == ENOENT ? Error::Kind::Absent : Error::Kind::Refused;
  const Both why = error == ENOENT ? Both(file_words::kAbsent) : system_words(error);
  return fail(kind, "cannot read " + name + ": " + why.english,
              "无法读取" + (path == "-" ? chinese : " " + chinese) + "：" + why.chinese);
}

std::unexpected<Error> device(const std::string& path) {
  const bool input = path == "-";
  return fail(Error::Kind::Refused,
              "cannot read " + (input ? "standard input" : path) + ": it is a device without end",
              "无法读取" + (input ? "标准输入" : " " + path) + "：它是没有结尾的设备");
}

// A device gives bytes without end; a terminal ends by hand, and /dev/null at once.
bool has_no_end(int fd, const struct stat& status) {
  if (S_ISBLK(status.st_mode)) return true;
  if (!S_ISCHR(status.st_mode)) return false;
  constexpr unsigned kMemoryDevices = 1, kNull = 3;  // Linux's numbers of /dev/null
  const bool null = major(status.st_rdev) == kMemoryDevices && minor(status.st_rdev) == kNull;
  return !null && ::isatty(fd) == 0;
}

// Opening a pipe that nobody writes to would wait for ever; so does no read afterwards: without a
// writer it is at its end.
Result<UniqueFd> opened(const std::string& path) {
  if (path.find('\0') != std::string::npos) return failed(path, ENOENT);
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!file.open()) return failed(path, errno);
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0 || ::fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK) < 0)
    return failed(path, errno);
  return file;
}

}  // namespace

Result<void> read_stream(const std::string& path,
                         const std::function<void(std::string_view bytes)>& take) {
  UniqueFd own;
  int fd = STDIN_FILENO;
  if (path != "-") {
    SX_TRY(own, opened(path));
    fd = own.get();
  }
  struct stat status{};
  if (::fstat(fd, &status) != 0) return failed(path, errno);
  if (S_ISDIR(status.st_mode)) return failed(path, EISDIR);
  if (has_no_end(fd, status)) return device(path);
  std::vector<char> buffer(kPiece);
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path, errno);
    if (got == 0) return {};
    take({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace sx
