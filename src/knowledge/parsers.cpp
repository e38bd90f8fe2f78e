// Names of models are patterns: `*` is any text, `#` a number such as 7, 0.6 or 480.
#include "knowledge/parsers.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/strings.h"
#include "knowledge/cells.h"
#include "knowledge/embedded.h"

namespace sx {
namespace {

struct ParserRow {
  bool model = false;  // else a parser
  std::string_view engine, flag, name, format;
  std::optional<Version> since, until;
};

std::vector<ParserRow> read_rows() {
  const Table table(table_bytes("data/parsers.tsv"));
  std::vector<ParserRow> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view column) { return table.cell(row, column); };
    all.push_back({.model = cell("kind") == "model",
                   .engine = known_cell(cell("engine")),
                   .flag = cell("flag"),
                   .name = cell("name"),
                   .format = cell("format"),
                   .since = version_cell(cell("since")),
                   .until = version_cell(cell("until"))});
  }
  return all;
}

const std::vector<ParserRow>& rows() {
  static const std::vector<ParserRow> all = read_rows();
  return all;
}

bool in_number(char c) { return (c >= '0' && c <= '9') || c == '.'; }

// `*` stands at the end of a pattern only, and `#` takes all of a number: no second try is needed.
bool matches(std::string_view pattern, std::string_view text) {
  while (!pattern.empty() && pattern.front() != '*') {
    if (text.empty()) return false;
    if (pattern.front() == '#') {
      const auto end = std::ranges::find_if_not(text, in_number) - text.begin();
      if (end == 0) return false;
      text.remove_prefix(static_cast<std::size_t>(end));
    } else {
      if (text.front() != pattern.front()) return false;
      text.remove_prefix(1);
    }
    pattern.remove_prefix(1);
  }
  return !pattern.empty() || text.empty();
}

std::string last_part(std::string_view model) {
  while (model.ends_with('/')) model.remove_suffix(1);
  return lower(model.substr(model.rfind('/') + 1));
}

}  // namespace

std::vector<std::string_view> output_formats(std::string_view flag, std::string_view model) {
  const std::string name = last_part(model);
  std::vector<std::string_view> formats;
  for (const ParserRow& row : rows()) {
    if (row.model && row.flag == flag && matches(row.name, name)) formats.push_back(row.format);
  }
  return formats;
}

std::string_view format_of_parser(std::string_view engine, std::string_view flag,
                                  std::string_view parser) {
  for (const ParserRow& row : rows()) {
    if (!row.model && row.engine == engine && row.flag == flag && row.name == parser)
      return row.format;
  }
  return {};
}

std::vector<std::string_view> parsers_of_format(std::string_view engine, std::string_view flag,
                                                std::string_view format, const Version& version) {
  std::vector<std::string_view> names;
  for (const ParserRow& row : rows()) {
    if (!row.model && row.engine == engine && row.flag == flag && row.format == format &&
        in_force(row, version))
      names.push_back(row.name);
  }
  return names;
}

}  // namespace sx
