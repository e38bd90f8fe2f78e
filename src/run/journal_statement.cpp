// Values go in by number and come out by column; a statement that cannot be read does nothing.
#include "run/journal_statement.h"

#include <sqlite3.h>

namespace sx {

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
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

}  // namespace sx
