// One row a field.
#include "knowledge/client_hints.h"

#include "knowledge/cells.h"

namespace sx {

const std::vector<ClientHintName>& client_hints() {
  static const std::vector<ClientHintName> all = [] {
    const Table table(table_bytes("data/client_hints.tsv"));
    std::vector<ClientHintName> rows;
    for (std::size_t i = 0; i < table.rows(); ++i)
      rows.push_back({.name = table.cell(i, "name"),
                      .hint = table.cell(i, "hint") == "session" ? ClientHint::Session
                                                                 : ClientHint::Patience});
    return rows;
  }();
  return all;
}

}  // namespace sx
