// A full disk, a pipe that nobody reads: lines wait up to a bound, then the newest are dropped and
// counted, and the log says so once it can.
#include "gateway/access_log.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "sys/quiet_thread.h"
#include "sys/save_file.h"

namespace sx {
namespace {

constexpr std::size_t kMostWaiting = std::size_t{4} << 20U;  // some ten thousand lines
constexpr std::chrono::milliseconds kTryAgain{500};  // after a write that did not go through
constexpr int kPipeWait = 100;                       // milliseconds for a reader to read
constexpr std::size_t kPipePiece = 4096;  // a pipe that says it has room has room for so much

std::uint64_t lines_in(const std::string& text) {
  return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

}  // namespace

Result<std::unique_ptr<AccessLog>> AccessLog::begin(AccessLogAsk ask) {
  UniqueFd file;
  bool plain = true;
  if (ask.path == "-") {
    file = UniqueFd(::dup(STDOUT_FILENO));
    struct stat there{};
    plain = ::fstat(STDOUT_FILENO, &there) == 0 && S_ISREG(there.st_mode);
  } else {
    SX_TRY(file, open_for_adding(ask.path));
  }
  return std::unique_ptr<AccessLog>(new AccessLog(std::move(ask), std::move(file), plain));
}

AccessLog::AccessLog(AccessLogAsk ask, UniqueFd file, bool plain)
    : ask_(std::move(ask)), file_(std::move(file)), plain_(plain) {
  struct stat there{};
  if (::fstat(file_.get(), &there) == 0) size_ = there.st_size;
  writer_ = quiet_thread([this] { work(); });
}

AccessLog::~AccessLog() {
  flush();
  {
    const std::lock_guard guard(lock_);
    stops_ = true;
  }
  wakes_.notify_one();
  writer_.join();
}

void AccessLog::flush() {
  if (lines_.empty()) return;
  {
    const std::lock_guard guard(lock_);
    if (waiting_.size() + lines_.size() > kMostWaiting)
      lost_ += lines_in(lines_);
    else if (waiting_.empty())
      waiting_.swap(lines_);
    else
      waiting_ += lines_;
  }
  lines_.clear();
  wakes_.notify_one();
}

void AccessLog::reopen() {
  {
    const std::lock_guard guard(lock_);
    reopens_ = true;
  }
  wakes_.notify_one();
}

std::uint64_t AccessLog::lost() {
  const std::lock_guard guard(lock_);
  return lost_;
}

// `rest` is what could not be written: it goes before everything that came later, so that no line
// is torn by another one.
void AccessLog::work() {
  std::string rest;
  std::unique_lock guard(lock_);
  while (true) {
    const auto wanted = [&] { return stops_ || reopens_ || !waiting_.empty(); };
    if (rest.empty())
      wakes_.wait(guard, wanted);
    else
      wakes_.wait_for(guard, kTryAgain, [&] { return stops_ || reopens_; });
    const bool last = stops_;
    const bool again = std::exchange(reopens_, false);
    if (rest.size() < kMostWaiting) {
      rest += waiting_;
      waiting_.clear();
    }
    const std::uint64_t untold = lost_ - told_;
    guard.unlock();
    if (again) open_again();
    write_out(rest);
    if (rest.empty() && untold > 0) {
      told_ += untold;
      rest = "{\"lost_lines\":" + std::to_string(untold) + "}\n";
      write_out(rest);
    }
    guard.lock();
    if (last) return;
  }
}

// What was written is taken from its front.
void AccessLog::write_out(std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    if (ask_.path != "-" && size_ >= ask_.file_bytes && whole_) rotate();
    const std::size_t count = write_some(std::string_view(text).substr(done));
    if (count == 0) break;
    done += count;
    size_ += static_cast<std::int64_t>(count);
    whole_ = text[done - 1] == '\n';
  }
  if (errno == EPIPE && done < text.size() && !plain_) {
    // The reader has gone for good.
    const std::lock_guard guard(lock_);
    lost_ += lines_in(text);
    told_ = lost_;
    done = text.size();
  }
  text.erase(0, done);
}

// 0: not now.
std::size_t AccessLog::write_some(std::string_view text) {
  errno = 0;
  if (!plain_) {
    pollfd room{.fd = file_.get(), .events = POLLOUT, .revents = 0};
    if (::poll(&room, 1, kPipeWait) != 1) return 0;
    text = text.substr(0, kPipePiece);
  }
  ssize_t count = 0;
  do {
    count = ::write(file_.get(), text.data(), text.size());
  } while (count < 0 && errno == EINTR);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

void AccessLog::open_again() {
  if (ask_.path == "-") return;
  auto file = open_for_adding(ask_.path);
  if (!file) return;  // the old one is still good
  struct stat there{};
  size_ = ::fstat(file->get(), &there) == 0 ? there.st_size : 0;
  file_ = std::move(*file);
}

// A file that cannot be moved away grows on.
void AccessLog::rotate() {
  const auto name = [&](int nth) {
    return nth == 0 ? ask_.path : ask_.path + '.' + std::to_string(nth);
  };
  size_ = 0;
  const int oldest = std::max(1, ask_.files - 1);
  for (int nth = oldest; nth > 0; --nth) std::rename(name(nth - 1).c_str(), name(nth).c_str());
  open_again();
}

}  // namespace sx
