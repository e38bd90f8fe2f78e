// Numbers of the world that formulas need, by engine and version.
#include "knowledge/constants.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

struct ConstantRow {
  std::optional<Version> since;
  std::optional<Version> until;  // the last version it holds for
  Constant constant;
};
// Hashed: a budget asks for dozens of them, a search for layouts works out hundreds of budgets.
using Constants = std::unordered_map<std::string_view, std::vector<ConstantRow>>;

Constants read_constants(std::string_view, const Table& table) {
  Constants constants;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view column) { return table.cell(row, column); };
    const auto value = number_cell(cell("value"));
    if (!value) continue;  // written as unknown
    constants[cell("name")].push_back(
        {.since = version_cell(cell("since")),
         .until = version_cell(cell("until")),
         .constant = {.value = *value,
                      .low = number_cell(cell("low")).value_or(*value),
                      .high = number_cell(cell("high")).value_or(*value),
                      .unit = cell("unit"),
                      .source = cell("source"),
                      .origin = cell("origin")}});
  }
  for (auto& [name, rows] : constants) std::ranges::sort(rows, {}, &ConstantRow::since);
  return constants;
}

const Constants& common_constants() {
  static const Constants all = read_constants({}, Table(table_bytes("data/constants.tsv")));
  return all;
}

// The newest row that has begun; nothing when that one has ended.
std::optional<Constant> in_force(const Constants& constants, std::string_view name,
                                 const Version& version) {
  const auto found = constants.find(name);
  if (found == constants.end()) return {};
  const ConstantRow* newest = nullptr;
  for (const auto& row : found->second) {
    if (!row.since || *row.since <= version) newest = &row;
  }
  if (newest == nullptr || (newest->until && version > *newest->until)) return {};
  return newest->constant;
}

}  // namespace

std::optional<Constant> constant(std::string_view engine, std::string_view name,
                                 const Version& version) {
  if (const auto* own = engine_table<read_constants>(engine, "memory.tsv")) {
    if (const auto found = in_force(*own, name, version)) return found;
  }
  return in_force(common_constants(), name, version);
}

}  // namespace sx
