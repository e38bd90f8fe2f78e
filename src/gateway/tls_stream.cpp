// A record at a time. Bytes that could not leave are told as not written; once they are encrypted
// nothing else can leave before them.
#include "gateway/tls_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace sx {
namespace {

using Step = TlsSession::Step;

constexpr std::size_t kRecord = std::size_t{16} << 10U;  // as much as one holds

ssize_t none(int error) {
  errno = error;
  return -1;
}

bool waits(Step step) { return step == Step::WantsRead || step == Step::WantsWrite; }

// The front of all parts, as much as a record holds. It lies in them, or where the next call puts
// its own.
std::string_view front_of(std::span<const iovec> parts) {
  const auto in_part = [](const iovec& part) {
    return std::string_view(static_cast<const char*>(part.iov_base), part.iov_len);
  };
  if (parts.empty()) return {};
  if (parts.size() == 1 || parts[0].iov_len >= kRecord) return in_part(parts[0]).substr(0, kRecord);
  thread_local std::array<char, kRecord> together;
  std::size_t size = 0;
  for (const iovec& part : parts) {
    const std::string_view bytes = in_part(part).substr(0, kRecord - size);
    std::ranges::copy(bytes, together.data() + size);
    size += bytes.size();
  }
  return {together.data(), size};
}

}  // namespace

ssize_t TlsStream::read(void* to, std::size_t most) {
  const auto got = session_.read(static_cast<char*>(to), most);
  if (got.step == Step::Done) return static_cast<ssize_t>(got.bytes);
  if (got.step == Step::Ended) return 0;
  return none(waits(got.step) ? EAGAIN : ECONNRESET);
}

ssize_t TlsStream::write(std::span<const iovec> parts) {
  const std::string_view next = front_of(parts);
  if (!held_.empty()) {
    const auto put = session_.write(held_);
    if (put.step != Step::Done) return none(waits(put.step) ? EAGAIN : EPIPE);
    const std::string gone = std::exchange(held_, {});
    if (next.starts_with(gone)) return static_cast<ssize_t>(gone.size());
    // Whoever wrote that has given it up for something else, which comes behind it.
  }
  if (next.empty()) return 0;
  const auto put = session_.write(next);
  if (put.step == Step::Done) return static_cast<ssize_t>(put.bytes);
  if (!waits(put.step)) return none(EPIPE);
  held_ = next;
  return none(EAGAIN);
}

}  // namespace sx
