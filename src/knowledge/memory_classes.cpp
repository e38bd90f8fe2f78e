// Sets of classes follow one another; within the set in force the first row that is large enough
// counts.
#include "knowledge/memory_classes.h"

#include <vector>

#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

struct ClassRow {
  std::optional<Version> since;
  std::optional<double> below_mib;  // nothing: no limit
  MemoryClass of;
};
using Classes = std::vector<ClassRow>;

Classes read_classes(std::string_view, const Table& table) {
  Classes classes;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view column) { return table.cell(row, column); };
    const auto whole = [&](std::string_view column) {
      return integer_cell(cell(column)).value_or(0);
    };
    classes.push_back(
        {.since = version_cell(cell("since")),
         .below_mib = number_cell(cell("below_mib")),
         .of = {.chunk = Tokens{whole("chunk")},
                .graph_batch = whole("graph_batch"),
                .graph_batch_tp4 = whole("graph_batch_tp4"),
                .reserve_gib = number_cell(cell("reserve_gib")),
                .reserve_gib_per_rank = number_cell(cell("reserve_gib_per_rank")).value_or(0)}});
  }
  return classes;
}

}  // namespace

std::optional<MemoryClass> memory_class(std::string_view engine, double card_mib,
                                        const Version& version) {
  const auto* classes = engine_table<read_classes>(engine, "memory_classes.tsv");
  if (classes == nullptr) return {};
  std::optional<Version> newest;
  for (const ClassRow& row : *classes) {
    if (row.since && *row.since <= version && (!newest || *newest < *row.since)) newest = row.since;
  }
  for (const ClassRow& row : *classes) {
    if (row.since == newest && (!row.below_mib || card_mib < *row.below_mib)) return row.of;
  }
  return {};
}

}  // namespace sx
