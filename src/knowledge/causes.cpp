// Rows in the order of the table, which goes by code.
#include "knowledge/causes.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<CauseRow> read_causes() {
  const Table table(table_bytes("data/causes/causes.tsv"));
  std::vector<CauseRow> all;
  all.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto cell = [&](std::string_view column) { return known_cell(table.cell(i, column)); };
    all.push_back({.code = cell("code"),
                   .name = cell("name"),
                   .family = cell("family"),
                   .title = {cell("title"), cell("title_zh")},
                   .numbers = {cell("numbers"), cell("numbers_zh")},
                   .because = {cell("because"), cell("because_zh")},
                   .otherwise = {cell("otherwise"), cell("otherwise_zh")},
                   .sure = {cell("sure"), cell("sure_zh")},
                   .fix = {cell("fix"), cell("fix_zh")},
                   .changes = cell("changes"),
                   .source = cell("source")});
  }
  return all;
}

}  // namespace

std::span<const CauseRow> causes() {
  static const std::vector<CauseRow> all = read_causes();
  return all;
}

const CauseRow* find_cause(std::string_view name_or_code) {
  const std::string word = lower(name_or_code);
  const auto all = causes();
  const auto found = std::ranges::find_if(all, [&](const CauseRow& row) {
    return row.name == word || (!row.code.empty() && lower(row.code) == word);
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace sx
