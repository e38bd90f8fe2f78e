// How the views read rows: all wanted cells of a row in one walk, versions, yes and no. Used by
// knowledge alone.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/tables.h"

namespace sx {

inline std::optional<Version> version_cell(std::string_view cell) {
  return is_unknown(cell) ? std::nullopt : parse_version(cell);
}

inline std::optional<bool> yes_or_no_cell(std::string_view cell) {
  if (cell == "yes") return true;
  if (cell == "no") return false;
  return {};
}

// One row at a time, as an array of the wanted cells. A column that the table lacks reads as empty.
template <std::size_t N>
class RowReader {
 public:
  using Cells = std::array<std::string_view, N>;

  RowReader(const Table& table, const Cells& wanted) : table_(&table) {
    for (const auto& name : table.header()) {
      slots_.push_back(static_cast<std::size_t>(std::ranges::find(wanted, name) - wanted.begin()));
    }
    while (!slots_.empty() && slots_.back() == N) slots_.pop_back();  // nothing wanted from here on
  }

  Cells row(std::size_t number) const {
    Cells cells;
    std::string_view rest = table_->line(number);
    for (const std::size_t slot : slots_) {
      const auto end = rest.find('\t');
      if (slot < N) cells[slot] = rest.substr(0, end);
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    return cells;
  }

 private:
  const Table* table_;
  std::vector<std::size_t> slots_;  // of each column; N: not wanted
};

// Rows say from which to which version read they hold; an empty end is open.
template <class Row>
bool in_force(const Row& row, const Version& version) {
  return (!row.since || *row.since <= version) && (!row.until || version <= *row.until);
}

inline std::string_view known_cell(std::string_view cell) {
  return is_unknown(cell) ? std::string_view{} : cell;
}

}  // namespace sx
