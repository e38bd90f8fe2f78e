// The low-level functions of OpenSSL: they need no start-up of the library, and take the
// processor's own instructions where it has them.
#include "sys/file_hash.h"

#define OPENSSL_API_COMPAT 0x10100000L  // they are deprecated from 3.0 on, not gone
#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/unique_fd.h"
#include "sys/files.h"
#include "sys/files_words.h"
#include "sys/hexadecimal.h"

namespace sx {
namespace {

using namespace file_words;

// Small enough to stay in a core's own cache between reading and hashing.
constexpr std::size_t kPiece = std::size_t{256} << 10U;

constexpr Clause kShorter{"it became shorter while it was read", "读取期间它变短了"};
constexpr Clause kLonger{"it became longer while it was read: something still writes it",
                         "读取期间它变长了：仍有程序在写入"};
constexpr Clause kStopped{"interrupted", "已中断"};

ssize_t read_piece(int fd, std::vector<char>& piece) {
  ssize_t got = ::read(fd, piece.data(), piece.size());
  while (got < 0 && errno == EINTR) got = ::read(fd, piece.data(), piece.size());
  return got;
}

}  // namespace

Result<std::string> sha256_of_file(const std::string& path, const HashWatch& watch) {
  // Says why in the same words as every other reader when it cannot be opened.
  if (const auto front = real_files().read_front(path, Bytes{1}); !front)
    return std::unexpected(front.error());
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!fd.open() || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return not_done(Error::Kind::Damaged, kRead, path, kNotRegular);
  ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  SHA256_CTX context;
  SHA256_Init(&context);
  std::vector<char> piece(kPiece);
  std::int64_t left = status.st_size;
  while (true) {
    if (watch.stop != nullptr && watch.stop->load(std::memory_order_relaxed))
      return not_done(Error::Kind::Interrupted, kRead, path, kStopped);
    const ssize_t got = read_piece(fd.get(), piece);
    if (got < 0) return not_done(Error::Kind::Damaged, kRead, path, kDisk);
    if (got == 0) break;
    left -= got;
    // A file that grows would never end.
    if (left < 0) return not_done(Error::Kind::Damaged, kRead, path, kLonger);
    SHA256_Update(&context, piece.data(), static_cast<std::size_t>(got));
    if (watch.bytes_read != nullptr) watch.bytes_read->fetch_add(got, std::memory_order_relaxed);
  }
  if (left > 0) return not_done(Error::Kind::Damaged, kRead, path, kShorter);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &context);
  return hexadecimal(digest);
}

Sha256 sha256_digest(std::string_view bytes) {
  Sha256 digest{};
  static_assert(digest.size() == SHA256_DIGEST_LENGTH);
  // Not SHA256(): since OpenSSL 3 that looks its algorithm up by name each time.
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &context);
  return digest;
}

std::string sha256_of(std::string_view bytes) { return hexadecimal(sha256_digest(bytes)); }

}  // namespace sx
