// What the journal remembers for later: layouts that worked or did not, how long starts took, and
// small things by name.
#include "run/journal.h"
#include "run/journal_statement.h"

namespace sx {
namespace {

constexpr int kStartsKept = 5;     // of one shape: enough for a middle, few enough to follow change
constexpr int kMostStarts = 2000;  // of all shapes
constexpr int kMostLayouts = 500;  // those of many deployments, far more than one lists

}  // namespace

bool Journal::write(const LayoutRecord& record) {
  Statement insert(
      database_.get(), "INSERT OR REPLACE INTO layout VALUES(?,?,?,?,?)",
      {record.key, record.label, std::int64_t{record.good ? 1 : 0}, record.cause, record.unix_ms});
  if (!insert.done()) return false;
  Statement(database_.get(),
            "DELETE FROM layout WHERE rowid<=(SELECT rowid FROM layout ORDER BY rowid DESC LIMIT 1 "
            "OFFSET ?)",
            {std::int64_t{kMostLayouts}})
      .done();
  return true;
}

bool Journal::write_value(const std::string& name, const std::string& value) {
  return Statement(database_.get(), "INSERT OR REPLACE INTO remembered VALUES(?,?)", {name, value})
      .done();
}

Result<void> Journal::remember(const Names& values) {
  const auto does = [&](const char* what) { return Statement(database_.get(), what, {}).done(); };
  bool good = does("BEGIN IMMEDIATE");
  for (const auto& [name, value] : values) good = good && write_value(name, value);
  if (good && does("COMMIT")) {
    for (const auto& [name, value] : values) later_.erase(name);
    return {};
  }
  auto refused = journal_refused(database_.get());
  does("ROLLBACK");
  return refused;
}

Result<void> Journal::remember(const std::string& name, const std::string& value) {
  return remember(Names{{name, value}});
}

std::optional<std::string> Journal::remembered(const std::string& name) const {
  if (const auto later = later_.find(name); later != later_.end()) return later->second;
  Statement select(database_.get(), "SELECT value FROM remembered WHERE name=?", {name});
  if (!select.row()) return std::nullopt;
  return select.text(0);
}

std::optional<LayoutRecord> Journal::layout(const std::string& key) const {
  for (auto entry = waiting_.rbegin(); entry != waiting_.rend(); ++entry) {
    const auto* record = std::get_if<LayoutRecord>(&*entry);
    if (record != nullptr && record->key == key) return *record;
  }
  Statement select(database_.get(), "SELECT key,label,good,cause,unix_ms FROM layout WHERE key=?",
                   {key});
  if (!select.row()) return std::nullopt;
  return LayoutRecord{.key = select.text(0),
                      .label = select.text(1),
                      .good = select.number(2) != 0,
                      .cause = select.text(3),
                      .unix_ms = select.number(4)};
}

Result<void> Journal::add_start(const std::string& shape, const std::string& stages) {
  Statement insert(database_.get(), "INSERT INTO start_time(shape,stages) VALUES(?,?)",
                   {shape, stages});
  if (!insert.done()) return journal_refused(database_.get());
  const std::int64_t oldest = last_row(database_.get()) - kMostStarts;
  Statement(database_.get(),
            "DELETE FROM start_time WHERE id<=? OR (shape=? AND id NOT IN (SELECT id FROM "
            "start_time WHERE shape=? ORDER BY id DESC LIMIT ?))",
            {oldest, shape, shape, std::int64_t{kStartsKept}})
      .done();
  return {};
}

std::vector<std::string> Journal::starts(const std::string& shape) const {
  Statement select(database_.get(), "SELECT stages FROM start_time WHERE shape=? ORDER BY id",
                   {shape});
  std::vector<std::string> all;
  while (select.row()) all.push_back(select.text(0));
  return all;
}

}  // namespace sx
