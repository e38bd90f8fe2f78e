// The cause's row stands before its family's.
#include "knowledge/again.h"

#include <map>
#include <string>

#include "knowledge/causes.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

using Rows = std::map<std::string_view, AgainRow>;

Rows read_rows() {
  const Table table(table_bytes("data/causes/again.tsv"));
  Rows rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string_view word = known_cell(table.cell(i, "again"));
    AgainRow row;
    row.again = word == "never"           ? AgainRow::Again::Never
                : word == "after-release" ? AgainRow::Again::AfterRelease
                                          : AgainRow::Again::Maybe;
    row.other_layout = known_cell(table.cell(i, "layout")) == "yes";
    row.links = known_cell(table.cell(i, "links")) == "yes";
    row.cards = known_cell(table.cell(i, "cards")) == "yes";
    rows.emplace(known_cell(table.cell(i, "cause")), row);
  }
  return rows;
}

}  // namespace

AgainRow again_after(std::string_view cause) {
  static const Rows rows = read_rows();
  if (const auto own = rows.find(cause); own != rows.end()) return own->second;
  const CauseRow* row = find_cause(cause);
  if (row == nullptr) return {};
  const auto family = rows.find("family:" + std::string(row->family));
  return family == rows.end() ? AgainRow{} : family->second;
}

}  // namespace sx
