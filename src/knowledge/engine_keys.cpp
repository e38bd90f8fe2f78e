// A handful of rows, read when a deployment is made.
#include "knowledge/engine_keys.h"

#include "knowledge/cells.h"

namespace sx {
namespace {

EngineKeyPlace::Holds holds_of(std::string_view word) {
  using enum EngineKeyPlace::Holds;
  if (word == "list") return List;
  if (word == "commas") return Commas;
  return word == "file" ? File : One;
}

}  // namespace

std::vector<EngineKeyPlace> engine_key_places(std::string_view engine) {
  const Table table(table_bytes("data/engine_keys.tsv"));
  std::vector<EngineKeyPlace> places;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.cell(i, "engine") != engine) continue;
    using enum EngineKeyPlace::Kind;
    places.push_back({.kind = table.cell(i, "kind") == "variable" ? Variable : Flag,
                      .name = table.cell(i, "name"),
                      .holds = holds_of(table.cell(i, "holds")),
                      .unless = known_cell(table.cell(i, "unless"))});
  }
  return places;
}

}  // namespace sx
