// The only file that includes SQLite.
#include "run/journal.h"

#include <sqlite3.h>

#include <cstdio>
#include <variant>

namespace sx {
namespace {

// Kept: enough for weeks of trouble, small enough to read at once.
constexpr int kMostTransitions = 100'000;
constexpr int kBusyTime = 2000;  // milliseconds; `status` reads while the daemon writes

constexpr const char* kTables =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
    "CREATE TABLE IF NOT EXISTS transition_log(id INTEGER PRIMARY KEY, unix_ms INTEGER NOT NULL,"
    " replica INTEGER NOT NULL, start INTEGER NOT NULL, came_from TEXT NOT NULL,"
    " went_to TEXT NOT NULL, reason TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS layout(key TEXT PRIMARY KEY, label TEXT NOT NULL,"
    " good INTEGER NOT NULL, cause TEXT NOT NULL, unix_ms INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS remembered(name TEXT PRIMARY KEY, value TEXT NOT NULL);";

std::unexpected<Error> refused(const std::string& why, const std::string& path) {
  return fail(Error::Kind::Refused, "cannot write the journal " + path + ": " + why,
              "无法写入日志库 " + path + "：" + why);
}

// One statement; its values are bound by their order.
class Statement {
 public:
  using Value = std::variant<std::int64_t, std::string>;
  Statement(sqlite3* database, const char* text, std::initializer_list<Value> values) {
    if (sqlite3_prepare_v2(database, text, -1, &statement_, nullptr) != SQLITE_OK) return;
    int at = 1;
    for (const Value& value : values) {
      if (const auto* number = std::get_if<std::int64_t>(&value)) {
        sqlite3_bind_int64(statement_, at++, *number);
      } else {
        const auto& words = std::get<std::string>(value);
        sqlite3_bind_text(statement_, at++, words.c_str(), static_cast<int>(words.size()),
                          SQLITE_TRANSIENT);
      }
    }
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }
  bool row() { return statement_ != nullptr && sqlite3_step(statement_) == SQLITE_ROW; }
  bool done() { return statement_ != nullptr && sqlite3_step(statement_) == SQLITE_DONE; }
  std::int64_t number(int column) { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) {
    const auto* bytes = sqlite3_column_text(statement_, column);
    if (bytes == nullptr) return {};
    return {reinterpret_cast<const char*>(bytes),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

// The file is whole and is one of ours.
bool sound(sqlite3* database) {
  if (sqlite3_exec(database, kTables, nullptr, nullptr, nullptr) != SQLITE_OK) return false;
  Statement check(database, "PRAGMA quick_check(1)", {});
  return check.row() && check.text(0) == "ok";
}

Result<sqlite3*> opened(const std::string& path) {
  sqlite3* database = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (const int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
      code != SQLITE_OK) {
    sqlite3_close(database);
    return refused(sqlite3_errstr(code), path);
  }
  sqlite3_busy_timeout(database, kBusyTime);
  return database;
}

}  // namespace

void Journal::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<Journal> Journal::open(const std::string& path, std::optional<std::string>* set_aside) {
  SX_TRY(sqlite3 * database, opened(path));
  Journal journal(database);
  if (sound(database)) return journal;
  const int code = sqlite3_errcode(database);
  if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB && code != SQLITE_OK && code != SQLITE_ROW &&
      code != SQLITE_DONE)
    return refused(sqlite3_errmsg(database), path);
  journal.database_.reset();
  const std::string aside = path + ".damaged";
  std::rename(path.c_str(), aside.c_str());
  for (const char* beside : {"-wal", "-shm"}) std::remove((path + beside).c_str());
  if (set_aside != nullptr) *set_aside = aside;
  SX_TRY(database, opened(path));
  Journal anew(database);
  if (!sound(database)) return refused(sqlite3_errmsg(database), path);
  return anew;
}

Result<void> Journal::add(const Transition& transition, std::int64_t unix_ms) {
  Statement insert(database_.get(),
                   "INSERT INTO transition_log(unix_ms,replica,start,came_from,went_to,reason) "
                   "VALUES(?,?,?,?,?,?)",
                   {unix_ms, std::int64_t{transition.replica}, std::int64_t{transition.start},
                    std::string(word_of(transition.from)), std::string(word_of(transition.to)),
                    transition.reason});
  if (!insert.done()) return refused(sqlite3_errmsg(database_.get()), "journal.db");
  const std::int64_t oldest = sqlite3_last_insert_rowid(database_.get()) - kMostTransitions;
  if (oldest > 0 && oldest % 1000 == 0)
    Statement(database_.get(), "DELETE FROM transition_log WHERE id<=?", {oldest}).done();
  return {};
}

Result<void> Journal::add(const LayoutRecord& record) {
  Statement insert(
      database_.get(), "INSERT OR REPLACE INTO layout VALUES(?,?,?,?,?)",
      {record.key, record.label, std::int64_t{record.good ? 1 : 0}, record.cause, record.unix_ms});
  if (!insert.done()) return refused(sqlite3_errmsg(database_.get()), "journal.db");
  return {};
}

Result<void> Journal::remember(const std::string& name, const std::string& value) {
  Statement insert(database_.get(), "INSERT OR REPLACE INTO remembered VALUES(?,?)", {name, value});
  if (!insert.done()) return refused(sqlite3_errmsg(database_.get()), "journal.db");
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
  return lines;
}

}  // namespace sx
