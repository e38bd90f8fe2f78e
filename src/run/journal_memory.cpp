// What the journal remembers for later: layouts that worked or did not, how long starts took, and
// small things by name.
#include "run/journal.h"
#include "run/journal_statement.h"

namespace sx {
namespace {

constexpr int kStartsKept = 5;     // of one shape: enough for a middle, few enough to follow change
constexpr int kMostStarts = 2000;  // of all shapes

}  // namespace

Result<void> Journal::add(const LayoutRecord& record) {
  Statement insert(
      database_.get(), "INSERT OR REPLACE INTO layout VALUES(?,?,?,?,?)",
      {record.key, record.label, std::int64_t{record.good ? 1 : 0}, record.cause, record.unix_ms});
  if (!insert.done()) return journal_refused(database_.get());
  return {};
}

Result<void> Journal::remember(const std::string& name, const std::string& value) {
  Statement insert(database_.get(), "INSERT OR REPLACE INTO remembered VALUES(?,?)", {name, value});
  if (!insert.done()) return journal_refused(database_.get());
  return {};
}

std::optional<std::string> Journal::remembered(const std::string& name) const {
  Statement select(database_.get(), "SELECT value FROM remembered WHERE name=?", {name});
  if (!select.row()) return std::nullopt;
  return select.text(0);
}

std::optional<LayoutRecord> Journal::layout(const std::string& key) const {
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
