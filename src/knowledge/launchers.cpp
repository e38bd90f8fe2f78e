// Options stand in their cell with a blank between.
#include "knowledge/launchers.h"

#include <algorithm>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<std::string_view> options_of(std::string_view cell) {
  return cell.empty() ? std::vector<std::string_view>{} : split(cell, ' ');
}

std::vector<Launcher> read_launchers() {
  const Table table(table_bytes("data/launchers.tsv"));
  std::vector<Launcher> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    all.push_back({.name = table.cell(row, "name"),
                   .mpi = table.cell(row, "mpi") == "yes",
                   .counts = options_of(table.cell(row, "counts")),
                   .machines = options_of(table.cell(row, "machines"))});
  }
  return all;
}

}  // namespace

const Launcher* find_launcher(std::string_view program) {
  static const std::vector<Launcher> all = read_launchers();
  const auto found = std::ranges::find(all, program, &Launcher::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace sx
