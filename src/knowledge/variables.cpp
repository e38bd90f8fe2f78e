// Environment variables of an engine, by name.
#include "knowledge/variables.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

using Variables = std::unordered_map<std::string_view, VariableRow>;

constexpr std::array<std::string_view, 14> kColumns{
    "name",       "type",       "default", "action",          "meaning",
    "meaning_zh", "first_seen", "removed", "default_changes", "reads",
    "reads_at",   "successor",  "flag",    "source"};

Variables read_variables(std::string_view, const Table& table) {
  const RowReader reader(table, kColumns);
  Variables all;
  for (std::size_t number = 0; number < table.rows(); ++number) {
    const auto [name, type, text, action, meaning, meaning_zh, seen, removed, changes, reads,
                reads_at, successor, flag, source] = reader.row(number);
    all.try_emplace(name, VariableRow{.name = name,
                                      .type = known_cell(type),
                                      .default_text = known_cell(text),
                                      .action = action,
                                      .meaning = meaning,
                                      .meaning_chinese = meaning_zh,
                                      .first_seen_known = seen != "null",
                                      .first_seen = version_cell(seen),
                                      .removed = version_cell(removed),
                                      .default_changes = changes,
                                      .reads = reads,
                                      .reads_at = version_cell(reads_at),
                                      .successor = successor,
                                      .flag = known_cell(flag),
                                      .source = source});
  }
  return all;
}

const Variables* variables(std::string_view engine) {
  return engine_table<read_variables>(engine, "env.tsv");
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
  std::ranges::sort(names);
  return names;
}

Standing variable_standing(std::string_view engine, const VariableRow& row,
                           const Version& version) {
  const auto* flags = engine_flags(engine);
  if (flags == nullptr) return Standing::NotRead;
  const Standing standing = standing_of(row.first_seen, row.removed, {}, flags->read, version);
  const bool newest = version >= flags->newest();
  if (!row.first_seen_known && standing == Standing::Known && !newest) return Standing::NotRead;
  return standing;
}

}  // namespace sx
