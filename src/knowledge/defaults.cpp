// Defaults of an engine that differ by version.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "knowledge/cells.h"
#include "knowledge/flags.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

struct DefaultRow {
  std::optional<Version> since;
  EngineDefault value;
};
using Defaults = std::unordered_map<std::string_view, std::vector<DefaultRow>>;

Defaults read_defaults(std::string_view, const Table& table) {
  Defaults defaults;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    defaults[table.cell(row, "name")].push_back(
        {.since = version_cell(table.cell(row, "since")),
         .value = {.value = table.cell(row, "value"), .source = table.cell(row, "source")}});
  }
  for (auto& [name, rows] : defaults) std::ranges::sort(rows, {}, &DefaultRow::since);
  return defaults;
}

}  // namespace

std::optional<EngineDefault> engine_default(std::string_view engine, std::string_view name,
                                            const Version& version) {
  const auto* defaults = engine_table<read_defaults>(engine, "defaults.tsv");
  if (defaults == nullptr) return {};
  const auto found = defaults->find(name);
  if (found == defaults->end()) return {};
  std::optional<EngineDefault> in_force;
  for (const auto& row : found->second) {
    if (!row.since || *row.since <= version) in_force = row.value;
  }
  if (in_force && in_force->value.empty()) return {};  // a default that ended
  return in_force;
}

}  // namespace sx
