// Bounded: how much of a file decides, how large a dump may be, how many are kept.
#include "logs/flight_files.h"

#include <algorithm>
#include <utility>

namespace sx {
namespace {

constexpr std::size_t kFirstLook = 256;
constexpr std::size_t kDecides = std::size_t{64} << 10U;  // stacks may stand in front of the keys
constexpr std::size_t kLargest = std::size_t{48} << 20U;  // ten times what a recorder writes
constexpr std::size_t kMostDumps = 1024;
constexpr std::size_t kMostEntries = 400'000;

}  // namespace

void FlightFiles::begin_file(std::string name) {
  ++file_;
  name_ = std::move(name);
  text_.clear();
  open_ = dumps_.size() + unread_.size() < kMostDumps;
  decided_ = false;
  look_at_ = kFirstLook;
}

void FlightFiles::leave(UnreadDump::Why why) {
  unread_.push_back({.name = name_, .file = file_, .why = why});
  open_ = false;
  text_ = {};
}

void FlightFiles::decide() {
  switch (flight_form(text_)) {
    case FlightForm::Json:
      decided_ = true;
      return;
    case FlightForm::Pickle:
      return leave(UnreadDump::Why::Pickle);
    case FlightForm::None:
      break;
  }
  // Whatever else begins otherwise is no dump, and the rest of a large file is not kept for it.
  const auto first = text_.find_first_not_of(" \t\r\n");
  const bool may_be = first == std::string::npos || text_[first] == '{' || text_[first] == '\x80';
  if (may_be && text_.size() < kDecides) return;
  open_ = false;
  text_ = {};
}

void FlightFiles::feed(std::string_view bytes) {
  if (!open_) return;
  if (!decided_) {
    const std::size_t taken = std::min(bytes.size(), kDecides - std::min(kDecides, text_.size()));
    text_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (text_.size() < look_at_) return;
    look_at_ = std::min(2 * text_.size(), kDecides);
    decide();
  }
  if (!open_ || bytes.empty()) return;
  if (text_.size() + bytes.size() > kLargest) return leave(UnreadDump::Why::TooLarge);
  text_ += bytes;
}

void FlightFiles::end_file() {
  if (open_ && !decided_) decide();
  if (!open_ || !decided_) {
    open_ = false;
    text_ = {};
    return;
  }
  auto dump = read_flight_dump(text_, name_);
  if (!dump || entries_ + dump->entries.size() > kMostEntries) {
    return leave(dump ? UnreadDump::Why::TooLarge : UnreadDump::Why::Broken);
  }
  dump->file = file_;
  entries_ += dump->entries.size();
  dumps_.push_back(*std::move(dump));
  open_ = false;
  text_ = {};
}

}  // namespace sx
