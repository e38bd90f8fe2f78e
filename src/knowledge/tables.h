// The built-in tables: embedded bytes, split into rows on first use; `--data DIR` puts other bytes
// in their place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sx {

// A tab-separated table with a header row. Cells "" and "null" are unknown, "-" and "none" mean
// "there is none".
class Table {
 public:
  explicit Table(std::string_view bytes);  // bytes must outlive the table

  std::size_t rows() const { return rows_.size(); }
  // The cell as it stands; empty when the column or the cell is absent.
  std::string_view cell(std::size_t row, std::string_view column) const;
  std::optional<int> column(std::string_view name) const;
  std::string_view cell(std::size_t row, int column) const;
  std::string_view line(std::size_t row) const { return rows_.at(row); }
  const std::vector<std::string_view>& header() const { return header_; }

 private:
  std::vector<std::string_view> header_;
  std::vector<std::string_view> rows_;  // whole lines: a cell is looked for when it is asked for
};

bool is_unknown(std::string_view cell);  // "", "null", "?"
bool is_none(std::string_view cell);     // "-", "none"
std::optional<std::int64_t> integer_cell(
    std::string_view cell);  // nothing for unknown, none and words
std::optional<double> number_cell(std::string_view cell);

// The bytes of a built-in file ("data/gpus.tsv"), or of its replacement. A name that does not exist
// is a bug of ours.
std::string_view table_bytes(std::string_view name);

// The same for a file that need not be there, as an engine without a table of that kind.
std::optional<std::string_view> find_table(std::string_view name);

// `--data DIR`: called once by the program before any table is used. Names without "data/" in
// front: "gpus.tsv".
struct Replacement {
  std::string name;
  std::string bytes;
};
void replace_tables(std::vector<Replacement> replacements);

}  // namespace sx
