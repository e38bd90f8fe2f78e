// Rows in the order of the table.
#include "knowledge/nccl_reasons.h"

#include <vector>

#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<NcclReasonRow> read_reasons() {
  const Table table(table_bytes("data/nccl_reasons.tsv"));
  std::vector<NcclReasonRow> all;
  all.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto cell = [&](std::string_view column) { return known_cell(table.cell(i, column)); };
    if (cell("text").empty()) continue;
    all.push_back({.text = cell("text"),
                   .means = {cell("means"), cell("means_zh")},
                   .source = cell("source")});
  }
  return all;
}

}  // namespace

std::span<const NcclReasonRow> nccl_reasons() {
  static const std::vector<NcclReasonRow> all = read_reasons();
  return all;
}

}  // namespace sx
