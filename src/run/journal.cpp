// Opening, and what happened; what is remembered of layouts and starts is in journal_memory.cpp,
// what cannot be written for a while in journal_waiting.cpp.
#include "run/journal.h"

#include <algorithm>
#include <cstdio>

#include "base/strings.h"
#include "run/journal_statement.h"

namespace sx {
namespace {

// Kept: enough for weeks of trouble, small enough to read at once.
constexpr int kMostTransitions = 100'000;
constexpr int kMostNotes = 1000;

constexpr const char* kTables =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
    "CREATE TABLE IF NOT EXISTS transition_log(id INTEGER PRIMARY KEY, unix_ms INTEGER NOT NULL,"
    " replica INTEGER NOT NULL, start INTEGER NOT NULL, came_from TEXT NOT NULL,"
    " went_to TEXT NOT NULL, reason TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS layout(key TEXT PRIMARY KEY, label TEXT NOT NULL,"
    " good INTEGER NOT NULL, cause TEXT NOT NULL, unix_ms INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS start_time(id INTEGER PRIMARY KEY, shape TEXT NOT NULL,"
    " stages TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS start_time_shape ON start_time(shape);"
    "CREATE TABLE IF NOT EXISTS note(id INTEGER PRIMARY KEY, unix_ms INTEGER NOT NULL,"
    " replica INTEGER NOT NULL, name TEXT NOT NULL, english TEXT NOT NULL,"
    " chinese TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS remembered(name TEXT PRIMARY KEY, value TEXT NOT NULL);";

template <class One, class Entries>
void add_waiting(std::vector<One>& all, const Entries& waiting, int most) {
  for (const auto& entry : waiting) {
    if (const One* one = std::get_if<One>(&entry)) all.push_back(*one);
  }
  const auto kept = static_cast<std::size_t>(std::max(most, 0));
  if (all.size() > kept) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kept));
}

}  // namespace

void Journal::Close::operator()(sqlite3* database) const { close_database(database); }

Result<Journal> Journal::open(const std::string& path, std::optional<std::string>* set_aside) {
  SX_TRY(sqlite3 * database, open_database(path));
  Journal journal(database);
  switch (make_sound(database, kTables)) {
    case Soundness::Sound:
      return journal;
    case Soundness::Refused:
      return journal_refused(database, path);
    case Soundness::Damaged:
      break;
  }
  journal.database_.reset();
  const std::string aside = path + ".damaged";
  std::rename(path.c_str(), aside.c_str());
  for (const char* beside : {"-wal", "-shm"}) std::remove((path + beside).c_str());
  if (set_aside != nullptr) *set_aside = aside;
  SX_TRY(database, open_database(path));
  Journal anew(database);
  if (make_sound(database, kTables) != Soundness::Sound) return journal_refused(database, path);
  return anew;
}

bool Journal::write(const JournalLine& line) {
  Statement insert(database_.get(),
                   "INSERT INTO transition_log(unix_ms,replica,start,came_from,went_to,reason) "
                   "VALUES(?,?,?,?,?,?)",
                   {line.unix_ms, std::int64_t{line.replica}, std::int64_t{line.start}, line.from,
                    line.to, line.reason});
  if (!insert.done()) return false;
  const std::int64_t oldest = last_row(database_.get()) - kMostTransitions;
  if (oldest > 0 && oldest % 1000 == 0)
    Statement(database_.get(), "DELETE FROM transition_log WHERE id<=?", {oldest}).done();
  return true;
}

bool Journal::write(const JournalNote& note) {
  Statement insert(database_.get(),
                   "INSERT INTO note(unix_ms,replica,name,english,chinese) VALUES(?,?,?,?,?)",
                   {note.unix_ms, std::int64_t{note.replica}, note.name, note.words.english,
                    note.words.chinese});
  if (!insert.done()) return false;
  const std::int64_t oldest = last_row(database_.get()) - kMostNotes;
  if (oldest > 0) Statement(database_.get(), "DELETE FROM note WHERE id<=?", {oldest}).done();
  return true;
}

// What waits in memory comes after all that is written.
std::vector<JournalLine> Journal::latest(int most) const {
  Statement select(database_.get(),
                   "SELECT id,unix_ms,replica,start,came_from,went_to,reason FROM "
                   "(SELECT * FROM transition_log ORDER BY id DESC LIMIT ?) ORDER BY id",
                   {std::int64_t{most}});
  std::vector<JournalLine> lines;
  while (select.row()) {
    lines.push_back({.id = select.number(0),
                     .unix_ms = select.number(1),
                     .replica = static_cast<int>(select.number(2)),
                     .start = static_cast<int>(select.number(3)),
                     .from = select.text(4),
                     .to = select.text(5),
                     .reason = select.text(6)});
  }
  add_waiting(lines, waiting_, most);
  return lines;
}

std::vector<JournalNote> Journal::notes(int most) const {
  Statement select(database_.get(),
                   "SELECT unix_ms,replica,name,english,chinese,id FROM "
                   "(SELECT * FROM note ORDER BY id DESC LIMIT ?) ORDER BY id",
                   {std::int64_t{most}});
  std::vector<JournalNote> all;
  while (select.row()) {
    all.push_back({.unix_ms = select.number(0),
                   .replica = static_cast<int>(select.number(1)),
                   .name = select.text(2),
                   .words = {select.text(3), select.text(4)},
                   .id = select.number(5)});
  }
  add_waiting(all, waiting_, most);
  return all;
}

JournalMark Journal::end() const {
  const auto last = [&](const char* question) {
    Statement select(database_.get(), question, {});
    return select.row() ? select.number(0) : 0;
  };
  return {.event = last("SELECT max(id) FROM transition_log"),
          .note = last("SELECT max(id) FROM note")};
}

std::string mark_words(const JournalMark& mark) {
  return std::to_string(mark.event) + '/' + std::to_string(mark.note);
}

JournalMark read_mark(const std::string& words) {
  const std::size_t slash = words.find('/');
  if (slash == std::string::npos) return {};
  const auto event = to_integer(std::string_view(words).substr(0, slash));
  const auto note = to_integer(std::string_view(words).substr(slash + 1));
  return {.event = event.value_or(0), .note = note.value_or(0)};
}

}  // namespace sx
