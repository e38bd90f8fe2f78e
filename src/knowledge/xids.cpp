// Xid numbers, in ascending order.
#include "knowledge/xids.h"

#include <algorithm>
#include <vector>

#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<XidRow> read_xids() {
  const Table table(table_bytes("data/xids.tsv"));
  std::vector<XidRow> all;
  all.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view column) { return known_cell(table.cell(row, column)); };
    const auto number = integer_cell(cell("xid"));
    if (!number || *number < 0 || *number > 100000) continue;
    all.push_back({.xid = static_cast<int>(*number),
                   .mnemonic = cell("mnemonic"),
                   .meaning = cell("meaning"),
                   .meaning_chinese = cell("meaning_zh"),
                   .machine_fault = cell("fault") == "yes",
                   .scope = cell("scope"),
                   .serving_impact = cell("serving_impact"),
                   .serving_impact_chinese = cell("serving_impact_zh"),
                   .action = cell("action"),
                   .action_chinese = cell("action_zh"),
                   .bucket = cell("immediate_bucket"),
                   .possible_causes = cell("possible_causes"),
                   .non_critical = cell("non_critical") == "yes",
                   .source = cell("source")});
  }
  std::ranges::sort(all, {}, &XidRow::xid);
  return all;
}

}  // namespace

std::span<const XidRow> xids() {
  static const std::vector<XidRow> all = read_xids();
  return all;
}

const XidRow* find_xid(int xid) {
  const auto all = xids();
  const auto found = std::ranges::lower_bound(all, xid, {}, &XidRow::xid);
  return found == all.end() || found->xid != xid ? nullptr : &*found;
}

}  // namespace sx
