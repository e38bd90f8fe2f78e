// Numbers of the world that formulas need, by engine and version.
#include "knowledge/constants.h"

#include <algorithm>
#include <array>
#include <vector>

#include "knowledge/by_name.h"
#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

struct ConstantRow {
  std::optional<Version> since;
  std::optional<Version> until;  // the last version it holds for
  Constant constant;
};
using Rows = std::vector<ConstantRow>;

// Of one name: the engine's own rows go before the common ones.
struct Named {
  Rows own, common;
};
using Constants = ByName<Named>;

enum Column : std::size_t { kName, kSince, kUntil, kValue, kLow, kHigh, kUnit, kSource, kOrigin };
constexpr std::array<std::string_view, 9> kColumns{"name", "since", "until",  "value", "low",
                                                   "high", "unit",  "source", "origin"};

void read_into(Constants& constants, Rows Named::* of, const Table& table) {
  const RowReader<kColumns.size()> reader(table, kColumns);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cells = reader.row(row);
    const auto value = number_cell(cells[kValue]);
    if (!value) continue;  // written as unknown
    (constants.of(cells[kName]).*of)
        .push_back({.since = version_cell(cells[kSince]),
                    .until = version_cell(cells[kUntil]),
                    .constant = {.value = *value,
                                 .low = number_cell(cells[kLow]).value_or(*value),
                                 .high = number_cell(cells[kHigh]).value_or(*value),
                                 .unit = cells[kUnit],
                                 .source = cells[kSource],
                                 .origin = cells[kOrigin]}});
  }
  for (auto& [name, named] : constants.all()) std::ranges::sort(named.*of, {}, &ConstantRow::since);
}

const Constants& common_constants() {
  static const Constants all = [] {
    Constants read;
    read_into(read, &Named::common, Table(table_bytes("data/constants.tsv")));
    return read;
  }();
  return all;
}

Constants read_constants(std::string_view, const Table& table) {
  Constants all = common_constants();
  read_into(all, &Named::own, table);
  return all;
}

// The newest row that has begun; nothing when that one has ended.
const Constant* in_force(const Rows& rows, const Version& version) {
  const ConstantRow* newest = nullptr;
  for (const auto& row : rows) {
    if (!row.since || *row.since <= version) newest = &row;
  }
  if (newest == nullptr || (newest->until && version > *newest->until)) return nullptr;
  return &newest->constant;
}

}  // namespace

const Constant* find_constant(std::string_view engine, std::string_view name,
                              const Version& version) {
  const auto* own = engine_table<read_constants>(engine, "memory.tsv");
  const Constants& all = own != nullptr ? *own : common_constants();
  const Named* found = all.find(name);
  if (found == nullptr) return nullptr;
  const Constant* row = in_force(found->own, version);
  return row == nullptr ? in_force(found->common, version) : row;
}

std::optional<Constant> constant(std::string_view engine, std::string_view name,
                                 const Version& version) {
  const Constant* row = find_constant(engine, name, version);
  return row == nullptr ? std::nullopt : std::optional(*row);
}

}  // namespace sx
