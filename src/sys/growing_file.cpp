// Asked now and then rather than told by the kernel: that works on network file systems too.
#include "sys/growing_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "sys/files_words.h"
#include "sys/system_words.h"

namespace sx {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10U;
constexpr int kMostPieces = 64;  // a look; an interrupt is heard between looks

std::unexpected<Error> refused(const std::string& path, int error) {
  const Both why = error == ENOENT ? Both(file_words::kAbsent) : system_words(error);
  return fail(error == ENOENT ? Error::Kind::Absent : Error::Kind::Refused,
              "cannot read " + path + ": " + why.english, "无法读取 " + path + "：" + why.chinese);
}

}  // namespace

Result<void> GrowingFile::open() {
  if (file_.open()) return {};
  file_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!file_.open()) return refused(path_, errno);
  struct stat status{};
  if (::fstat(file_.get(), &status) != 0) return refused(path_, errno);
  if (!S_ISREG(status.st_mode)) {
    file_.reset();
    return fail(Error::Kind::Refused, path_ + " is no file that can be followed",
                path_ + " 不是可以持续观察的文件");
  }
  inode_ = status.st_ino;
  device_ = status.st_dev;
  read_ = 0;
  return {};
}

void GrowingFile::pass_over() {
  if (!open()) return;
  const auto end = ::lseek(file_.get(), 0, SEEK_END);
  if (end >= 0) read_ = end;
}

Result<GrowingFile::News> GrowingFile::look(
    const std::function<void(std::string_view bytes)>& take) {
  if (auto opened = open(); !opened) return std::unexpected(opened.error());
  std::vector<char> buffer(kPiece);
  bool more = false;
  for (int piece = 0; piece < kMostPieces; ++piece) {
    const ssize_t got = ::read(file_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused(path_, errno);
    if (got == 0) break;
    read_ += got;
    more = true;
    take({buffer.data(), static_cast<std::size_t>(got)});
  }
  if (more) return News::More;
  struct stat own{};
  struct stat named{};
  const bool cut = ::fstat(file_.get(), &own) == 0 && own.st_size < read_;
  // Between moving the old one away and making the new one there is no file of that name.
  const bool replaced =
      ::stat(path_.c_str(), &named) == 0 && (named.st_ino != inode_ || named.st_dev != device_);
  if (!cut && !replaced) return News::Nothing;
  file_.reset();
  return News::Anew;
}

}  // namespace sx
