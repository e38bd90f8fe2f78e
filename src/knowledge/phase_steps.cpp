// Two small tables, read once.
#include "knowledge/phase_steps.h"

#include <algorithm>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<CollectRow> read_collect() {
  const Table table(table_bytes("data/causes/collect.tsv"));
  std::vector<CollectRow> all;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    all.push_back({.item = table.cell(i, "item"),
                   .what = {table.cell(i, "what"), table.cell(i, "what_zh")},
                   .command = table.cell(i, "command"),
                   .source = table.cell(i, "source")});
  }
  return all;
}

std::vector<PhaseRow> read_phases() {
  const Table table(table_bytes("data/causes/phases.tsv"));
  std::vector<PhaseRow> all;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    PhaseRow row{.phase = table.cell(i, "phase"),
                 .engine = table.cell(i, "engine"),
                 .here = {table.cell(i, "here"), table.cell(i, "here_zh")},
                 .next = {table.cell(i, "next"), table.cell(i, "next_zh")},
                 .collect = {},
                 .again = table.cell(i, "again"),
                 .source = table.cell(i, "source")};
    for (const std::string_view item : split(table.cell(i, "collect"), ' ')) {
      if (!item.empty()) row.collect.push_back(item);
    }
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace

std::span<const CollectRow> collect_rows() {
  static const std::vector<CollectRow> all = read_collect();
  return all;
}

std::span<const PhaseRow> phase_rows() {
  static const std::vector<PhaseRow> all = read_phases();
  return all;
}

const PhaseRow* find_phase(std::string_view phase, std::string_view engine) {
  const PhaseRow* best = nullptr;
  for (const PhaseRow& row : phase_rows()) {
    if (row.phase != phase) continue;
    if (row.engine == engine) return &row;
    if (row.engine.empty()) best = &row;
  }
  return best;
}

const CollectRow* find_collect(std::string_view item) {
  const auto rows = collect_rows();
  const auto row = std::ranges::find(rows, item, &CollectRow::item);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace sx
