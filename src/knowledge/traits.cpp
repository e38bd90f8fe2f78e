// Rows from `since` to `until`, the last version read that is so.
#include "knowledge/traits.h"

#include <vector>

#include "knowledge/by_name.h"
#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

struct Trait {
  std::string_view value;
  std::optional<Version> since;
  std::optional<Version> until;
};
using Traits = ByName<std::vector<Trait>>;

Traits read_traits(std::string_view, const Table& table) {
  const RowReader<4> reader(table, {"name", "value", "since", "until"});
  Traits traits;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto [name, value, since, until] = reader.row(row);
    traits.of(name).push_back(
        {.value = value, .since = version_cell(since), .until = version_cell(until)});
  }
  return traits;
}

}  // namespace

std::optional<std::string_view> trait(std::string_view engine, std::string_view name,
                                      const Version& version) {
  const auto* traits = engine_table<read_traits>(engine, "traits.tsv");
  if (traits == nullptr) return {};
  const auto* rows = traits->find(name);
  if (rows == nullptr) return {};
  for (const Trait& row : *rows) {
    if (in_force(row, version)) return row.value;
  }
  return {};
}

}  // namespace sx
