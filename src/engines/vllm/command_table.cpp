// The table is read when it is first asked for.
#include "engines/vllm/command_table.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "knowledge/tables.h"

namespace sx::vllm {
namespace {

struct Habit {
  std::string_view name;
  std::string_view value;
  std::optional<Version> since;
  std::optional<Version> until;  // the last version read that has it

  bool at(const Version& version) const {
    return (!since || *since <= version) && (!until || version <= *until);
  }
};

const std::vector<Habit>& habits() {
  static const std::vector<Habit> all = [] {
    const Table table(table_bytes("data/engines/vllm/command_line.tsv"));
    std::vector<Habit> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      rows.push_back({.name = table.cell(row, "name"),
                      .value = table.cell(row, "value"),
                      .since = parse_version(table.cell(row, "since")),
                      .until = parse_version(table.cell(row, "until"))});
    }
    return rows;
  }();
  return all;
}

}  // namespace

std::optional<std::string_view> habit(std::string_view name, const Version& version) {
  for (const Habit& row : habits()) {
    if (row.name == name && row.at(version)) return row.value;
  }
  return {};
}

bool holds(std::string_view name, std::string_view value, const Version& version) {
  return std::ranges::any_of(habits(), [&](const Habit& row) {
    return row.name == name && row.value == value && row.at(version);
  });
}

}  // namespace sx::vllm
