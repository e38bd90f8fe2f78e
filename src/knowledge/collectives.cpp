// Latency and rate joined by an exponent: small messages take the one, large ones the other.
#include "knowledge/collectives.h"

#include <cmath>

#include "knowledge/cells.h"

namespace sx {

std::optional<double> all_reduce_us(std::string_view link, int ranks, Bytes message) {
  static const Table table(table_bytes("data/collectives.tsv"));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.cell(row, "link") != link || integer_cell(table.cell(row, "ranks")) != ranks)
      continue;
    const auto latency = number_cell(table.cell(row, "latency_us"));
    const auto rate = number_cell(table.cell(row, "gb_per_second"));
    const auto exponent = number_cell(table.cell(row, "exponent"));
    if (!latency || !rate || !exponent || *rate <= 0 || *exponent <= 0) return {};
    const double transfer = static_cast<double>(message.count()) / (*rate * 1000);
    return std::pow(std::pow(*latency, *exponent) + std::pow(transfer, *exponent), 1 / *exponent);
  }
  return {};
}

}  // namespace sx
