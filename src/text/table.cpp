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

// Cells of some columns of a row, from `begin` to `end`.
std::string line_of(const std::vector<std::string>& row, const std::vector<Align>& align,
                    const std::vector<std::size_t>& cells, std::size_t begin, std::size_t end) {
  std::string line;
  for (std::size_t i = begin; i < std::min(end, row.size()); ++i) {
    if (i > begin) line.append(kBetween, ' ');
    const bool right = i < align.size() && align[i] == Align::Right;
    line += right ? padded_left(row[i], cells[i]) : padded(row[i], cells[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// Where lines begin, as numbers of columns: as many on each as fit.
std::vector<std::size_t> folds(const std::vector<std::size_t>& cells, std::size_t indent,
                               std::size_t hanging, std::size_t width) {
  std::vector<std::size_t> begins{0};
  std::size_t taken = indent;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool first = begins.back() == i;
    const std::size_t more = (first ? 0 : kBetween) + cells[i];
    if (!first && taken + more > width) {
      begins.push_back(i);
      taken = hanging + cells[i];
    } else {
      taken += more;
    }
  }
  begins.push_back(cells.size());
  return begins;
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<Align>& align, std::size_t indent) {
  const std::vector<std::size_t> cells = widths(rows);
  std::string out;
  for (const auto& row : rows) {
    const std::string line = line_of(row, align, cells, 0, row.size());
    out += line.empty() ? "\n" : std::string(indent, ' ') + line + '\n';
  }
  return out;
}

std::string table_within(const std::vector<std::vector<std::string>>& rows,
                         const std::vector<Align>& align, std::size_t indent, std::size_t width,
                         std::size_t under) {
  const std::vector<std::size_t> cells = widths(rows);
  std::size_t hanging = indent;
  for (std::size_t i = 0; i < std::min(under, cells.size()); ++i) hanging += cells[i] + kBetween;
  const std::vector<std::size_t> begins = folds(cells, indent, hanging, width);
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
      const std::string line = line_of(row, align, cells, begins[i], begins[i + 1]);
      if (line.empty() && i > 0) continue;
      out += std::string(line.empty() ? 0 : i == 0 ? indent : hanging, ' ') + line + '\n';
    }
  }
  return out;
}

}  // namespace sx
