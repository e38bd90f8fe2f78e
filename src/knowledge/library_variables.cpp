// Both tables, read when they are first asked for.
#include "knowledge/library_variables.h"

#include <algorithm>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<std::string_view> parts_of(std::string_view cell, char separator) {
  if (is_unknown(cell)) return {};
  return split(cell, separator);
}

std::vector<LibraryVariable> read_library_variables() {
  const Table table(table_bytes("data/library_variables.tsv"));
  std::vector<LibraryVariable> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view column) { return table.cell(row, column); };
    all.push_back({.name = cell("name"),
                   .library = cell("library"),
                   .type = cell("type"),
                   .words = parts_of(cell("words"), ','),
                   .successor = known_cell(cell("successor")),
                   .meaning = cell("meaning"),
                   .meaning_chinese = cell("meaning_zh")});
  }
  std::ranges::sort(all, {}, &LibraryVariable::name);
  return all;
}

std::vector<DebugVariable> read_debug_variables() {
  const Table table(table_bytes("data/debug_variables.tsv"));
  std::vector<DebugVariable> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view column) { return table.cell(row, column); };
    all.push_back({.name = cell("name"),
                   .when = cell("when"),
                   .value = cell("value"),
                   .engines = parts_of(cell("engines"), ' '),
                   .warns = cell("severity") == "warning",
                   .cost = cell("cost"),
                   .cost_chinese = cell("cost_zh")});
  }
  return all;
}

}  // namespace

std::span<const LibraryVariable> library_variables() {
  static const std::vector<LibraryVariable> all = read_library_variables();
  return all;
}

const LibraryVariable* find_library_variable(std::string_view name) {
  const auto all = library_variables();
  const auto found = std::ranges::lower_bound(all, name, {}, &LibraryVariable::name);
  return found == all.end() || found->name != name ? nullptr : &*found;
}

std::span<const DebugVariable> debug_variables() {
  static const std::vector<DebugVariable> all = read_debug_variables();
  return all;
}

}  // namespace sx
