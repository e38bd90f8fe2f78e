// Defaults of an engine that differ by version.
#include <algorithm>
#include <array>
#include <vector>

#include "knowledge/by_name.h"
#include "knowledge/cells.h"
#include "knowledge/flags.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

struct DefaultRow {
  std::optional<Version> since;
  EngineDefault value;
};
using Defaults = ByName<std::vector<DefaultRow>>;

Defaults read_defaults(std::string_view, const Table& table) {
  constexpr std::array<std::string_view, 4> kColumns{"name", "since", "value", "source"};
  const RowReader<kColumns.size()> reader(table, kColumns);
  Defaults defaults;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto [name, since, value, source] = reader.row(row);
    defaults.of(name).push_back(
        {.since = version_cell(since), .value = {.value = value, .source = source}});
  }
  for (auto& [name, rows] : defaults.all()) std::ranges::sort(rows, {}, &DefaultRow::since);
  return defaults;
}

}  // namespace

std::optional<EngineDefault> engine_default(std::string_view engine, std::string_view name,
                                            const Version& version) {
  const auto* defaults = engine_table<read_defaults>(engine, "defaults.tsv");
  if (defaults == nullptr) return {};
  const auto* found = defaults->find(name);
  if (found == nullptr) return {};
  std::optional<EngineDefault> in_force;
  for (const auto& row : *found) {
    if (!row.since || *row.since <= version) in_force = row.value;
  }
  if (in_force && in_force->value.empty()) return {};  // a default that ended
  return in_force;
}

}  // namespace sx
