// Two short tables, read once. The row "*" lists the rules that hold for every program.
#include "knowledge/other_engines.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

constexpr std::string_view kAll = "*";

std::vector<std::string_view> words_of(std::string_view cell, char between) {
  std::vector<std::string_view> words;
  if (is_none(cell)) return words;
  for (const auto word : split(cell, between)) {
    if (!trimmed(word).empty()) words.push_back(trimmed(word));
  }
  return words;
}

OtherEngine::Kind kind_of(std::string_view cell) {
  if (cell == "server") return OtherEngine::Kind::Server;
  if (cell == "launcher") return OtherEngine::Kind::Launcher;
  if (cell == "router") return OtherEngine::Kind::Router;
  return cell == "removed" ? OtherEngine::Kind::Removed : OtherEngine::Kind::Tool;
}

std::optional<int> count_of(std::string_view cell) {
  const auto number = integer_cell(cell);
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

struct Engines {
  std::vector<OtherEngine> rows;
  std::vector<std::string_view> rules_of_all;
};

Engines read_engines() {
  const Table table(table_bytes("data/other_engines.tsv"));
  Engines engines;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view column) { return table.cell(row, column); };
    const auto both = [&](std::string_view english, std::string_view chinese) {
      return Both{std::string(cell(english)), std::string(cell(chinese))};
    };
    auto rules = words_of(cell("rules"), ' ');
    if (cell("id") == kAll) {
      engines.rules_of_all = std::move(rules);
      continue;
    }
    OtherEngine engine{.id = cell("id"),
                       .shown = cell("shown"),
                       .kind = kind_of(cell("kind")),
                       .forms = {},
                       .nearest = is_none(cell("nearest")) ? "" : cell("nearest"),
                       .same_flags = cell("same_flags") == "yes",
                       .tensor_parallel = count_of(cell("tensor")),
                       .port = count_of(cell("port")),
                       .host = cell("host"),
                       .starts_without_gpu = cell("no_gpu") == "starts",
                       .rules = std::move(rules),
                       .checked = both("checked_en", "checked_zh"),
                       .left = both("left_en", "left_zh")};
    for (const auto form : words_of(cell("match"), '|'))
      engine.forms.push_back(words_of(form, ' '));
    engines.rows.push_back(std::move(engine));
  }
  return engines;
}

const Engines& engines() {
  static const Engines read = read_engines();
  return read;
}

OtherFlag::Takes takes_of(std::string_view cell) {
  if (cell == "switch") return OtherFlag::Takes::Switch;
  if (cell == "words") return OtherFlag::Takes::Words;
  if (cell == "optional") return OtherFlag::Takes::Optional;
  if (cell == "address") return OtherFlag::Takes::Address;
  if (cell == "count") return OtherFlag::Takes::Count;
  if (cell == "rest") return OtherFlag::Takes::Rest;
  return cell == "first" ? OtherFlag::Takes::First : OtherFlag::Takes::OneWord;
}

using Flags = std::map<std::string_view, std::vector<OtherFlag>, std::less<>>;

Flags read_flags() {
  const Table table(table_bytes("data/other_flags.tsv"));
  Flags flags;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto means = table.cell(row, "means");
    OtherFlag flag{.names = words_of(table.cell(row, "flag"), ','),
                   .takes = takes_of(table.cell(row, "takes")),
                   .means = is_none(means) ? "" : means,
                   .values = {}};
    for (const auto pair : words_of(table.cell(row, "values"), ';')) {
      const auto equals = pair.find('=');
      if (equals != std::string_view::npos)
        flag.values.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
    flags[table.cell(row, "engine")].push_back(std::move(flag));
  }
  return flags;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](char x, char y) { return (x == '_' ? '-' : x) == (y == '_' ? '-' : y); });
}

}  // namespace

std::span<const OtherEngine> other_engines() { return engines().rows; }

const OtherEngine* find_other_engine(std::string_view id) {
  // Those with tables of their own are none of these, and need not read them.
  if (std::ranges::find(kEnginesWithTables, id) != kEnginesWithTables.end()) return nullptr;
  const auto found = std::ranges::find(engines().rows, id, &OtherEngine::id);
  return found == engines().rows.end() ? nullptr : &*found;
}

bool rule_holds_for(const OtherEngine& engine, std::string_view rule) {
  return std::ranges::find(engine.rules, rule) != engine.rules.end() ||
         std::ranges::find(engines().rules_of_all, rule) != engines().rules_of_all.end();
}

std::span<const OtherFlag> other_flags(std::string_view engine) {
  static const Flags flags = read_flags();
  const auto found = flags.find(engine);
  return found == flags.end() ? std::span<const OtherFlag>{} : found->second;
}

const OtherFlag* find_other_flag(std::string_view engine, std::string_view typed) {
  for (const OtherFlag& flag : other_flags(engine)) {
    if (std::ranges::any_of(flag.names, [&](auto name) { return same_name(name, typed); }))
      return &flag;
  }
  return nullptr;
}

std::string_view other_name_of(std::string_view engine, std::string_view common) {
  for (const OtherFlag& flag : other_flags(engine)) {
    if (flag.means != common || flag.takes == OtherFlag::Takes::First) continue;
    // The long name, where there is one; variables are no flags.
    for (const auto name : flag.names) {
      if (name.starts_with("--")) return name;
    }
  }
  return {};
}

}  // namespace sx
