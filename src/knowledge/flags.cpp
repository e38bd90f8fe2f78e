// Flags of an engine's command line, and in which versions they are.
#include "knowledge/flags.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/strings.h"
#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

constexpr std::array<std::pair<std::string_view, FlagKind>, 8> kKinds{
    {{"switch", FlagKind::Switch},
     {"integer", FlagKind::Integer},
     {"number", FlagKind::Number},
     {"string", FlagKind::String},
     {"choice", FlagKind::Choice},
     {"list", FlagKind::List},
     {"json", FlagKind::Json},
     {"optional", FlagKind::Optional}}};

FlagKind kind_cell(std::string_view cell) {
  const auto* found =
      std::ranges::find(kKinds, cell, &std::pair<std::string_view, FlagKind>::first);
  return found == kKinds.end() ? FlagKind::String : found->second;
}

std::vector<std::string_view> list_cell(std::string_view cell, char separator) {
  return is_unknown(cell) ? std::vector<std::string_view>{} : split(cell, separator);
}

constexpr std::array<std::string_view, 19> kColumns{
    "name",       "aliases",     "kind",       "negatable",    "human_int", "repeats", "plain_text",
    "default",    "choices",     "first_seen", "removed",      "returned",  "group",   "meaning",
    "meaning_zh", "opposite_of", "successor",  "successor_zh", "source"};

FlagRow flag_of(const RowReader<kColumns.size()>::Cells& cells) {
  const auto* next = cells.begin();
  const auto cell = [&] { return *next++; };  // in the order of kColumns
  FlagRow flag;
  flag.name = cell();
  flag.aliases = list_cell(cell(), ' ');
  flag.kind = kind_cell(cell());
  flag.negatable = cell() == "yes";
  flag.human_integer = cell() == "yes";
  flag.repeats = cell() == "yes";
  flag.plain_text = cell() == "yes";
  flag.default_text = cell();
  flag.choices = list_cell(cell(), ',');
  flag.first_seen = version_cell(cell());
  flag.removed = version_cell(cell());
  flag.returned = version_cell(cell());
  flag.group = cell();
  flag.meaning = cell();
  flag.meaning_chinese = cell();
  flag.opposite_of = cell();
  flag.successor = cell();
  flag.successor_chinese = cell();
  flag.source = cell();
  return flag;
}

std::vector<Version> versions_read(std::string_view engine) {
  std::vector<Version> read;
  const auto bytes = find_table("data/engines/" + std::string(engine) + "/versions.tsv");
  if (!bytes) return read;
  const Table table(*bytes);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (const auto version = parse_version(table.cell(row, "version"))) read.push_back(*version);
  }
  std::ranges::sort(read);
  return read;
}

EngineFlags read_flags(std::string_view engine, const Table& table) {
  EngineFlags flags;
  flags.engine = engine;
  flags.read = versions_read(engine);
  flags.rows.reserve(table.rows());
  const RowReader reader(table, kColumns);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    flags.rows.push_back(flag_of(reader.row(row)));
    flags.by_name.emplace_back(flags.rows.back().name, row);
    for (const auto alias : flags.rows.back().aliases) flags.by_name.emplace_back(alias, row);
  }
  for (const auto& [name, row] : flags.by_name) {
    if (flags.row_of.find(name) == nullptr) flags.row_of.of(name) = row;
  }
  std::ranges::sort(flags.by_name);
  return flags;
}

}  // namespace

const FlagRow* EngineFlags::find(std::string_view name_or_alias) const {
  SX_ASSERT(by_name.size() >= rows.size());  // made by engine_flags, which fills all three
  const std::size_t* row = row_of.find(name_or_alias);
  return row == nullptr ? nullptr : &rows[*row];
}

Standing EngineFlags::standing(const FlagRow& row, const Version& version) const {
  return standing_of(row.first_seen, row.removed, row.returned, read, version);
}

const EngineFlags* engine_flags(std::string_view engine) {
  const auto* flags = engine_table<read_flags>(engine, "flags.tsv");
  return flags == nullptr || flags->read.empty() ? nullptr : flags;
}

}  // namespace sx
