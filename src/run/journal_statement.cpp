// The only file that includes SQLite. Values go in by number and come out by column; a statement
// that cannot be read does nothing.
#include "run/journal_statement.h"

#include <sqlite3.h>

#include "base/utf8.h"

namespace sx {
namespace {

constexpr int kBusyTime = 2000;  // milliseconds; `status` reads while the daemon writes

std::unexpected<Error> refused(const std::string& why, const std::string& path) {
  return fail(Error::Kind::Refused, "cannot write the journal " + path + ": " + why,
              "无法写入日志库 " + path + "：" + why);
}

}  // namespace

Statement::Statement(sqlite3* database, const char* text, std::initializer_list<Value> values) {
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

Statement::~Statement() { sqlite3_finalize(statement_); }

bool Statement::row() { return statement_ != nullptr && sqlite3_step(statement_) == SQLITE_ROW; }

bool Statement::done() { return statement_ != nullptr && sqlite3_step(statement_) == SQLITE_DONE; }

std::int64_t Statement::number(int column) { return sqlite3_column_int64(statement_, column); }

std::string Statement::text(int column) {
  const auto* bytes = sqlite3_column_text(statement_, column);
  if (bytes == nullptr) return {};
  return valid_utf8({reinterpret_cast<const char*>(bytes),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))});
}

Result<sqlite3*> open_database(const std::string& path) {
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

void close_database(sqlite3* database) { sqlite3_close(database); }

Soundness make_sound(sqlite3* database, const char* tables) {
  if (sqlite3_exec(database, tables, nullptr, nullptr, nullptr) == SQLITE_OK) {
    Statement check(database, "PRAGMA quick_check(1)", {});
    if (check.row() && check.text(0) == "ok") return Soundness::Sound;
  }
  switch (sqlite3_errcode(database)) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
      return Soundness::Damaged;
    default:
      return Soundness::Refused;
  }
}

std::int64_t last_row(sqlite3* database) { return sqlite3_last_insert_rowid(database); }

std::unexpected<Error> journal_refused(sqlite3* database, const std::string& path) {
  return refused(sqlite3_errmsg(database), path);
}

}  // namespace sx
