// Whole lines are handed on where they lie; only the line that crosses two pieces is copied.
#include "read/log_blocks.h"

#include <algorithm>

namespace sx {
namespace {

constexpr std::string_view kEnds = "\r\n";

}  // namespace

void LogBlocks::keep(std::string_view part) {
  const std::size_t room = kLongestLogLine - std::min(kLongestLogLine, open_.size());
  if (part.size() > room && !overlong_) {
    overlong_ = true;
    ++cut_;
  }
  open_.append(part.substr(0, room));
}

void LogBlocks::feed(std::string_view chunk) {
  bytes_ += chunk.size();
  if (!open_.empty()) {
    const std::size_t end = chunk.find_first_of(kEnds);
    keep(chunk.substr(0, end));
    if (end == std::string_view::npos) return;
    open_ += chunk[end];
    take_(open_);
    open_.clear();
    overlong_ = false;
    chunk.remove_prefix(end + 1);
  }
  const std::size_t last = chunk.find_last_of(kEnds);
  if (last != std::string_view::npos) {
    take_(chunk.substr(0, last + 1));
    chunk.remove_prefix(last + 1);
  }
  keep(chunk);
}

void LogBlocks::end() {
  if (!open_.empty()) take_(open_);
  open_.clear();
  overlong_ = false;
}

}  // namespace sx
