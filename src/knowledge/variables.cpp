// Environment variables of an engine, by name.
#include "knowledge/variables.h"

#include <map>

#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

using Variables = std::map<std::string_view, VariableRow>;

Variables read_variables(std::string_view, const Table& table) {
  Variables all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view column) { return table.cell(row, column); };
    all.try_emplace(cell("name"), VariableRow{.name = cell("name"),
                                              .type = known_cell(cell("type")),
                                              .default_text = known_cell(cell("default")),
                                              .action = cell("action"),
                                              .meaning = cell("meaning"),
                                              .first_seen_known = cell("first_seen") != "null",
                                              .first_seen = version_cell(cell("first_seen")),
                                              .removed = version_cell(cell("removed")),
                                              .default_changes = cell("default_changes"),
                                              .source = cell("source")});
  }
  return all;
}

const Variables* variables(std::string_view engine) {
  static PerEngine<Variables> all("env.tsv", read_variables);
  return all.of(engine);
}

}  // namespace

const VariableRow* find_variable(std::string_view engine, std::string_view name) {
  const auto* all = variables(engine);
  if (all == nullptr) return nullptr;
  const auto found = all->find(name);
  return found == all->end() ? nullptr : &found->second;
}

std::vector<std::string_view> variable_names(std::string_view engine) {
  std::vector<std::string_view> names;
  if (const auto* all = variables(engine)) {
    for (const auto& [name, row] : *all) names.push_back(name);
  }
  return names;
}

Standing variable_standing(std::string_view engine, const VariableRow& row, const Version& version) {
  const auto* flags = engine_flags(engine);
  if (flags == nullptr) return Standing::NotRead;
  const Standing standing = standing_of(row.first_seen, row.removed, {}, flags->read, version);
  const bool newest = version >= flags->newest();
  if (!row.first_seen_known && standing == Standing::Known && !newest) return Standing::NotRead;
  return standing;
}

}  // namespace sx
