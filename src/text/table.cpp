// Aligned columns: measured once, then written row by row.
#include "text/table.h"

#include <algorithm>

#include "text/columns.h"

namespace sx {
namespace {

constexpr std::size_t kBetween = 2;

std::vector<std::size_t> widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> out;
  for (const auto& row : rows) {
    if (out.size() < row.size()) out.resize(row.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) out[i] = std::max(out[i], columns(row[i]));
  }
  return out;
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<Align>& align, std::size_t indent) {
  const std::vector<std::size_t> cells = widths(rows);
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line.append(kBetween, ' ');
      const bool right = i < align.size() && align[i] == Align::Right;
      line += right ? padded_left(row[i], cells[i]) : padded(row[i], cells[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line;
    out += '\n';
  }
  return out;
}

}  // namespace sx
