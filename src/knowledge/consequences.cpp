// Rows are few: they are walked.
#include "knowledge/consequences.h"

#include <algorithm>

#include "base/strings.h"
#include "knowledge/causes.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

constexpr std::string_view kFamily = "family:";

std::vector<ConsequenceRow> read_consequences() {
  const Table table(table_bytes("data/causes/consequences.tsv"));
  std::vector<ConsequenceRow> all;
  all.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    ConsequenceRow row{
        .cause = table.cell(i, "cause"), .may_follow = {}, .source = table.cell(i, "source")};
    for (const auto name : split(table.cell(i, "may_follow"), ' ')) {
      if (!trimmed(name).empty()) row.may_follow.push_back(trimmed(name));
    }
    all.push_back(std::move(row));
  }
  return all;
}

std::string_view family_of(std::string_view name) {
  const CauseRow* const row = find_cause(name);
  return row == nullptr ? std::string_view() : row->family;
}

bool stands_for(std::string_view word, std::string_view name, std::string_view family) {
  if (word == "*" || word == name) return true;
  return word.starts_with(kFamily) && word.substr(kFamily.size()) == family;
}

}  // namespace

std::span<const ConsequenceRow> consequences() {
  static const std::vector<ConsequenceRow> all = read_consequences();
  return all;
}

bool may_follow(std::string_view cause, std::string_view other) {
  const auto rows = consequences();
  auto row = std::ranges::find(rows, cause, &ConsequenceRow::cause);
  if (row == rows.end()) {
    const std::string_view family = family_of(cause);
    row = std::ranges::find_if(
        rows, [&](const ConsequenceRow& one) { return stands_for(one.cause, cause, family); });
  }
  if (row == rows.end()) return false;
  const std::string_view family = family_of(other);
  return std::ranges::any_of(
      row->may_follow, [&](std::string_view word) { return stands_for(word, other, family); });
}

}  // namespace sx
