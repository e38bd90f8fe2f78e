// Rows from `since` to `until`, the last version read that is so.
#include "knowledge/quantisation.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

using Rows = std::vector<QuantisationRow>;

QuantisationKind kind_of(std::string_view word) {
  if (word == "scheme") return QuantisationKind::Scheme;
  if (word == "native") return QuantisationKind::Native;
  if (word == "cache") return QuantisationKind::Cache;
  return word == "deprecated" ? QuantisationKind::Deprecated : QuantisationKind::Method;
}

std::optional<ComputeCapability> capability_of(std::string_view cell) {
  const auto version = version_cell(cell);
  if (!version) return {};
  return ComputeCapability{version->major, version->minor};
}

enum Column : std::size_t {
  kKind,
  kName,
  kSince,
  kUntil,
  kCapability,
  kDtypes,
  kNote,
  kSource,
};
constexpr std::array<std::string_view, 8> kColumns{"kind",       "name",   "since", "until",
                                                   "capability", "dtypes", "note",  "source"};

Rows read_rows(std::string_view, const Table& table) {
  Rows rows;
  const RowReader<kColumns.size()> reader(table, kColumns);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cells = reader.row(row);
    const std::string_view dtypes = cells[kDtypes];
    rows.push_back({.kind = kind_of(cells[kKind]),
                    .name = cells[kName],
                    .since = version_cell(cells[kSince]),
                    .until = version_cell(cells[kUntil]),
                    .capability = capability_of(cells[kCapability]),
                    .dtypes = dtypes.empty() ? std::vector<std::string_view>{} : split(dtypes, ','),
                    .note = cells[kNote],
                    .source = cells[kSource]});
  }
  return rows;
}

const Rows& rows_of(std::string_view engine) {
  static const Rows kNone;
  const Rows* rows = engine_table<read_rows>(engine, "quantisation.tsv");
  return rows == nullptr ? kNone : *rows;
}

// The first version read after `last`; `last` itself when it is the newest.
Version read_after(const std::vector<Version>& read, const Version& last) {
  const auto at = std::ranges::upper_bound(read, last);
  return at == read.end() ? last : *at;
}

}  // namespace

const QuantisationRow* quantisation_in(std::string_view engine, QuantisationKind kind,
                                       std::string_view name, const Version& version) {
  for (const QuantisationRow& row : rows_of(engine)) {
    if (row.kind == kind && row.name == name && in_force(row, version)) return &row;
  }
  return nullptr;
}

// Rows of one method stand in the order of versions, without holes.
std::optional<Standing> method_standing(std::string_view engine, std::string_view name,
                                        const Version& version) {
  const EngineFlags* flags = engine_flags(engine);
  const QuantisationRow* first = nullptr;
  const QuantisationRow* last = nullptr;
  for (const QuantisationRow& row : rows_of(engine)) {
    if (row.kind != QuantisationKind::Method || row.name != name) continue;
    if (first == nullptr) first = &row;
    last = &row;
  }
  if (first == nullptr || flags == nullptr || flags->read.empty()) return {};
  std::optional<Version> removed;
  if (last->until) removed = read_after(flags->read, *last->until);
  return standing_of(first->since, removed, {}, flags->read, version);
}

MethodSpan method_span(std::string_view engine, std::string_view name) {
  MethodSpan span;
  bool any = false;
  for (const QuantisationRow& row : rows_of(engine)) {
    if (row.kind != QuantisationKind::Method || row.name != name) continue;
    if (!any) span.first = row.since;
    any = true;
    span.last = row.until;
  }
  return span;
}

std::vector<std::string_view> quantisation_methods(std::string_view engine,
                                                   const Version& version) {
  std::vector<std::string_view> names;
  for (const QuantisationRow& row : rows_of(engine)) {
    if (row.kind == QuantisationKind::Method && row.capability && in_force(row, version))
      names.push_back(row.name);
  }
  return names;
}

}  // namespace sx
