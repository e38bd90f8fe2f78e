// An engine's own flags go before the table: what it takes needs no translation.
#include "knowledge/foreign_flags.h"

#include <algorithm>
#include <vector>

#include "knowledge/flags.h"
#include "knowledge/other_engines.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

// Whose names are the common ones.
constexpr std::string_view kCommon = "vllm";

using ForeignFlags = std::vector<ForeignFlag>;

ForeignFlags read_foreign_flags(std::string_view, const Table& table) {
  ForeignFlags rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rows.push_back({.typed = table.cell(row, "typed"),
                    .name = table.cell(row, "name"),
                    .carries_over = table.cell(row, "carries") == "value"});
  }
  return rows;
}

// The engine's own row of a name, of an alias or of a switch in the negative.
std::optional<std::string> name_in_table(std::string_view engine, std::string_view name) {
  const EngineFlags* flags = engine_flags(engine);
  if (flags == nullptr) return {};
  // A dotted flag is the flag with a path behind it.
  const auto dot = name.find('.');
  const std::string_view path = dot == std::string_view::npos ? "" : name.substr(dot);
  const std::string_view whole = name.substr(0, dot);
  if (const FlagRow* row = flags->find(whole)) return std::string(row->name) + std::string(path);
  constexpr std::string_view kNot = "--no-";
  if (!whole.starts_with(kNot)) return {};
  const FlagRow* row = flags->find("--" + std::string(whole.substr(kNot.size())));
  if (row == nullptr || !row->negatable) return {};
  return std::string(kNot) + std::string(row->name.substr(2));
}

// Engines that are only recognised: their own name as typed, what the table says of a common one,
// and variables, which every program has.
std::string own_name_of_other(std::string_view engine, std::string_view name) {
  if (!name.starts_with('-')) return std::string(name);
  // A name that rules use is translated before it is looked for among the engine's own.
  if (const auto own = other_name_of(engine, name); !own.empty()) return std::string(own);
  return find_other_flag(engine, name) == nullptr ? std::string() : std::string(name);
}

}  // namespace

const ForeignFlag* foreign_flag(std::string_view engine, std::string_view typed) {
  const auto* rows = engine_table<read_foreign_flags>(engine, "foreign_flags.tsv");
  if (rows == nullptr) return nullptr;
  const auto found = std::ranges::find(*rows, typed, &ForeignFlag::typed);
  return found == rows->end() ? nullptr : &*found;
}

bool has_common_names(std::string_view engine) { return engine == kCommon; }

std::string own_name(std::string_view engine, std::string_view common) {
  if (has_common_names(engine)) return std::string(common);
  if (find_other_engine(engine) != nullptr) return own_name_of_other(engine, common);
  if (auto name = name_in_table(engine, common)) return *std::move(name);
  if (const ForeignFlag* foreign = foreign_flag(engine, common)) {
    return name_in_table(engine, foreign->name).value_or(std::string(foreign->name));
  }
  return engine_flags(engine) == nullptr ? std::string(common) : std::string();
}

std::string own_name_for_value(std::string_view engine, std::string_view common) {
  if (engine != kCommon && !name_in_table(engine, common)) {
    const ForeignFlag* foreign = foreign_flag(engine, common);
    if (foreign != nullptr && !foreign->carries_over) return {};
  }
  return own_name(engine, common);
}

}  // namespace sx
