// The bytes of a log as they come, cut into blocks that end where lines end. A block never holds
// half a line; what a line has beyond the limit is left out, in whatever pieces it came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sx {

// Longer than any line an engine prints (a whole configuration is some 10 KB); a dump of weights or
// a binary file must not be kept in memory.
inline constexpr std::size_t kLongestLogLine = std::size_t{64} << 10U;

// Where a line ends: \n, and \r for progress bars.
constexpr bool ends_log_line(char c) { return c == '\n' || c == '\r'; }

class LogBlocks {
 public:
  // The view dies with the call.
  using Take = std::function<void(std::string_view block)>;
  explicit LogBlocks(Take take) : take_(std::move(take)) {}

  void feed(std::string_view chunk);
  void end();  // the last line may have no end

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t cut_lines() const { return cut_; }  // that began in one piece and were too long

 private:
  void keep(std::string_view part);

  Take take_;
  std::string open_;  // the begin of a line whose end has not come
  bool overlong_ = false;
  std::uint64_t bytes_ = 0;
  std::uint64_t cut_ = 0;
};

}  // namespace sx
