// The table is read when it is first asked for.
#include "engines/argparse/habits.h"

#include <algorithm>
#include <vector>

#include "knowledge/per_engine.h"

namespace sx::argparse {
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

std::vector<Habit> read_habits(std::string_view, const Table& table) {
  std::vector<Habit> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rows.push_back({.name = table.cell(row, "name"),
                    .value = table.cell(row, "value"),
                    .since = parse_version(table.cell(row, "since")),
                    .until = parse_version(table.cell(row, "until"))});
  }
  return rows;
}

const std::vector<Habit>& habits(std::string_view engine) {
  static const std::vector<Habit> none;
  const auto* all = engine_table<read_habits>(engine, "command_line.tsv");
  return all == nullptr ? none : *all;
}

}  // namespace

std::optional<std::string_view> habit(std::string_view engine, std::string_view name,
                                      const Version& version) {
  for (const Habit& row : habits(engine)) {
    if (row.name == name && row.at(version)) return row.value;
  }
  return {};
}

bool holds(std::string_view engine, std::string_view name, std::string_view value,
           const Version& version) {
  return std::ranges::any_of(habits(engine), [&](const Habit& row) {
    return row.name == name && row.value == value && row.at(version);
  });
}

}  // namespace sx::argparse
