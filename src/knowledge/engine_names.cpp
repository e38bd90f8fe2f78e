// One short table, and behind it those of engines that are only recognised.
#include "knowledge/engine_names.h"

#include "knowledge/other_engines.h"
#include "knowledge/tables.h"

namespace sx {

std::string_view shown_engine(std::string_view engine) {
  static const Table table(table_bytes("data/engine_names.tsv"));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.cell(row, "name") == engine) return table.cell(row, "shown");
  }
  const OtherEngine* other = find_other_engine(engine);
  return other == nullptr ? engine : other->shown;
}

}  // namespace sx
