// An engine's own flags go before the table: what it takes needs no translation.
#include "knowledge/foreign_flags.h"

#include <array>

#include "knowledge/by_name.h"
#include "knowledge/cells.h"
#include "knowledge/flags.h"
#include "knowledge/other_engines.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

// Whose names are the common ones.
constexpr std::string_view kCommon = "vllm";

// By what is typed.
using ForeignFlags = ByName<ForeignFlag>;

ForeignFlags read_foreign_flags(std::string_view, const Table& table) {
  constexpr std::array<std::string_view, 3> kColumns{"typed", "name", "carries"};
  const RowReader<kColumns.size()> reader(table, kColumns);
  ForeignFlags flags;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto [typed, name, carries] = reader.row(row);
    if (flags.find(typed) != nullptr) continue;  // the first row counts
    flags.of(typed) = {.typed = typed, .name = name, .carries_over = carries == "value"};
  }
  return flags;
}

// The engine's own row of a name, of an alias or of a switch in the negative; `made` as in
// own_name_in.
std::optional<std::string_view> name_in_table(std::string_view engine, std::string_view name,
                                              std::string& made) {
  const EngineFlags* flags = engine_flags(engine);
  if (flags == nullptr) return {};
  // A dotted flag is the flag with a path behind it.
  const auto dot = name.find('.');
  const std::string_view whole = name.substr(0, dot);
  if (const FlagRow* row = flags->find(whole)) {
    if (dot == std::string_view::npos) return row->name;
    const std::string path(name.substr(dot));  // before: `name` may lie in what is made
    made = std::string(row->name) + path;
    return made;
  }
  constexpr std::string_view kNot = "--no-";
  if (!whole.starts_with(kNot)) return {};
  const FlagRow* row = flags->find("--" + std::string(whole.substr(kNot.size())));
  if (row == nullptr || !row->negatable) return {};
  made = std::string(kNot) + std::string(row->name.substr(2));
  return made;
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
  const auto* flags = engine_table<read_foreign_flags>(engine, "foreign_flags.tsv");
  return flags == nullptr ? nullptr : flags->find(typed);
}

std::string_view own_name_in(std::string_view engine, std::string_view common, std::string& made) {
  if (engine == kCommon) return common;
  if (find_other_engine(engine) != nullptr) return made = own_name_of_other(engine, common);
  if (const auto name = name_in_table(engine, common, made)) return *name;
  if (const ForeignFlag* foreign = foreign_flag(engine, common))
    return name_in_table(engine, foreign->name, made).value_or(foreign->name);
  return engine_flags(engine) == nullptr ? common : std::string_view{};
}

std::string own_name(std::string_view engine, std::string_view common) {
  std::string made;
  return std::string(own_name_in(engine, common, made));
}

std::string own_name_for_value(std::string_view engine, std::string_view common) {
  std::string made;
  if (engine != kCommon && !name_in_table(engine, common, made)) {
    const ForeignFlag* foreign = foreign_flag(engine, common);
    if (foreign != nullptr && !foreign->carries_over) return {};
  }
  return own_name(engine, common);
}

}  // namespace sx
