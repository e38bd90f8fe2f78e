// Rows from `since` to `until`, the last version read that is so.
#include "knowledge/traits.h"

#include <vector>

#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

struct Trait {
  std::string_view name;
  std::string_view value;
  std::optional<Version> since;
  std::optional<Version> until;
};
using Traits = std::vector<Trait>;

Traits read_traits(std::string_view, const Table& table) {
  Traits traits;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    traits.push_back({.name = table.cell(row, "name"),
                      .value = table.cell(row, "value"),
                      .since = version_cell(table.cell(row, "since")),
                      .until = version_cell(table.cell(row, "until"))});
  }
  return traits;
}

}  // namespace

std::optional<std::string_view> trait(std::string_view engine, std::string_view name,
                                      const Version& version) {
  const auto* traits = engine_table<read_traits>(engine, "traits.tsv");
  if (traits == nullptr) return {};
  for (const Trait& row : *traits) {
    if (row.name == name && in_force(row, version)) return row.value;
  }
  return {};
}

}  // namespace sx
