// Rows in the order of the table.
#include "knowledge/token_shapes.h"

#include <vector>

#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<TokenShape> read_shapes() {
  const Table table(table_bytes("data/token_shapes.tsv"));
  std::vector<TokenShape> all;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string_view front = table.cell(i, "front");
    const auto least = integer_cell(table.cell(i, "least"));
    if (front.empty() || !least || *least < 1) continue;
    all.push_back({front, static_cast<std::size_t>(*least)});
  }
  return all;
}

}  // namespace

std::span<const TokenShape> token_shapes() {
  static const std::vector<TokenShape> all = read_shapes();
  return all;
}

}  // namespace sx
