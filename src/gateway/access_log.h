// The access log as a file: lines are gathered within a tick and written by a thread of their own,
// so that a slow disk holds up nobody's request.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sx {

struct AccessLogAsk {
  std::string path;                                   // "-": standard output, never rotated
  std::int64_t file_bytes = std::int64_t{64} << 20U;  // then a new one is begun
  int files = 4;  // with the newest, at least 2; the oldest goes
};

class AccessLog {
 public:
  // Refused: the file cannot be written.
  static Result<std::unique_ptr<AccessLog>> begin(AccessLogAsk ask);
  ~AccessLog();  // what can be written at once still is
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  // Lines are added to its end; handed on by flush().
  std::string& lines() { return lines_; }
  void flush();   // from time to time; costs nothing without lines
  void reopen();  // somebody has moved the file away
  std::uint64_t lost();

 private:
  AccessLog(AccessLogAsk ask, UniqueFd file, bool plain);
  void work();
  void write_out(std::string& text);
  std::size_t write_some(std::string_view text);
  void open_again();
  void rotate();

  const AccessLogAsk ask_;
  std::string lines_;  // of the loop's thread alone

  std::mutex lock_;
  std::condition_variable wakes_;
  std::string waiting_;     // below: under the lock
  std::uint64_t lost_ = 0;  // lines
  bool reopens_ = false, stops_ = false;

  UniqueFd file_;  // below: of the writing thread alone
  const bool plain_;
  std::int64_t size_ = 0;
  bool whole_ = true;       // it ends with a line's end
  std::uint64_t told_ = 0;  // lost lines that the log itself has told of
  std::thread writer_;
};

}  // namespace sx
