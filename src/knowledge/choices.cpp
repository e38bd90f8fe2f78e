// The newest version's choices, less those that came later, and those that have gone since.
#include "knowledge/choices.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "knowledge/cells.h"
#include "knowledge/per_engine.h"
#include "knowledge/traits.h"

namespace sx {
namespace {

struct Choice {
  std::string_view name;
  std::optional<Version> first_seen;  // empty: as long as the flag
  std::optional<Version> removed;     // first version read without it
};

using Choices = std::unordered_map<std::string_view, std::vector<Choice>>;

constexpr std::array<std::string_view, 4> kColumns{"flag", "choice", "first_seen", "removed"};

Choices read_choices(std::string_view, const Table& table) {
  const RowReader reader(table, kColumns);
  Choices all;
  for (std::size_t number = 0; number < table.rows(); ++number) {
    const auto [flag, choice, seen, removed] = reader.row(number);
    all[flag].push_back({choice, version_cell(seen), version_cell(removed)});
  }
  return all;
}

}  // namespace

std::optional<std::vector<std::string_view>> choices_in(const EngineFlags& flags,
                                                        const FlagRow& row,
                                                        const Version& version) {
  const auto* all = engine_table<read_choices>(flags.engine, "choices.tsv");
  if (all == nullptr) return {};
  std::vector<std::string_view> taken = row.choices;
  const auto changed = all->find(row.name);
  if (changed == all->end()) {
    if (trait(flags.engine, "choices-told", version) != "all") return {};
    return taken;
  }
  for (const Choice& choice : changed->second) {
    const Standing standing =
        standing_of(choice.first_seen, choice.removed, {}, flags.read, version);
    const bool there = standing != Standing::NotYet && standing != Standing::Removed;
    const auto at = std::ranges::find(taken, choice.name);
    if (there && at == taken.end()) taken.push_back(choice.name);
    if (!there && at != taken.end()) taken.erase(at);
  }
  return taken;
}

}  // namespace sx
