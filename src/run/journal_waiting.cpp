// A full disk takes nothing for a while: what happens meanwhile waits in memory, in its order.
#include <algorithm>

#include "diag/message.h"
#include "run/journal.h"
#include "run/journal_statement.h"

namespace sx {
namespace {

constexpr std::size_t kMostWaiting = 1000;  // some hours of trouble; the latest are worth most
constexpr std::size_t kMostLater = 64;      // names: a handful are in use

constexpr Text kNotKept{
    "{count} events and notes are not in the journal: for a while nothing could be written",
    "有 {count} 条事件和说明没有记入日志库：其间无法写入"};

}  // namespace

bool Journal::write(const Entry& entry) {
  return std::visit([this](const auto& one) { return write(one); }, entry);
}

bool Journal::write_all_that_waits() {
  while (!waiting_.empty()) {
    if (!write(waiting_.front())) return false;
    waiting_.pop_front();
  }
  while (!later_.empty()) {
    if (!write_value(later_.begin()->first, later_.begin()->second)) return false;
    later_.erase(later_.begin());
  }
  return true;
}

Result<void> Journal::put(Entry entry, std::int64_t unix_ms) {
  if (write_what_waits(unix_ms) && write(entry)) return {};
  auto refused = journal_refused(database_.get());
  if (waiting_.size() >= kMostWaiting) {
    waiting_.pop_front();
    ++dropped_;
  }
  waiting_.push_back(std::move(entry));
  return refused;
}

Result<void> Journal::write_what_waits(std::int64_t unix_ms) {
  if (!write_all_that_waits()) return journal_refused(database_.get());
  if (dropped_ == 0) return {};
  const JournalNote gap{.unix_ms = unix_ms,
                        .name = "journal-gap",
                        .words = in_both({kNotKept, {{"count", dropped_}}})};
  if (!write(gap)) return journal_refused(database_.get());
  dropped_ = 0;
  return {};
}

Result<void> Journal::add(const Transition& transition, std::int64_t unix_ms) {
  const JournalLine line{.unix_ms = unix_ms,
                         .replica = transition.replica,
                         .start = transition.start,
                         .from = std::string(word_of(transition.from)),
                         .to = std::string(word_of(transition.to)),
                         .reason = transition.reason};
  return put(line, unix_ms);
}

Result<void> Journal::add(const JournalNote& note) { return put(note, note.unix_ms); }

Result<void> Journal::add(const LayoutRecord& record) { return put(record, record.unix_ms); }

void Journal::remember_later(const std::string& name, const std::string& value) {
  if (remember(name, value)) return;
  if (later_.size() < kMostLater || later_.contains(name)) later_[name] = value;
}

}  // namespace sx
