// SQLite as the journal's own files use it: a database, and one statement of it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sx {

// Its values are bound by their order.
class Statement {
 public:
  using Value = std::variant<std::int64_t, std::string>;
  Statement(sqlite3* database, const char* text, std::initializer_list<Value> values);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();
  bool row();   // there is a (next) one
  bool done();  // it was carried out
  std::int64_t number(int column);
  // Always UTF-8: a row that was damaged, or written by somebody else, must not make everything
  // that is told with it unreadable.
  std::string text(int column);

 private:
  sqlite3_stmt* statement_ = nullptr;
};

Result<sqlite3*> open_database(const std::string& path);
void close_database(sqlite3* database);

// Refused: it may be whole, and cannot be used.
enum class Soundness { Sound, Damaged, Refused };
// Looks whether the file is whole and makes the tables that are missing.
Soundness make_sound(sqlite3* database, const char* tables);

std::int64_t last_row(sqlite3* database);  // number of the one put in last

// What SQLite said last, as our own error about the journal.
std::unexpected<Error> journal_refused(sqlite3* database, const std::string& path = "journal.db");

}  // namespace sx
