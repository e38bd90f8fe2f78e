// Claims in the order of the table.
#include "knowledge/claims.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<std::string_view> names_in(std::string_view cell) {
  std::vector<std::string_view> names;
  for (const auto name : split(cell, ',')) {
    if (!trimmed(name).empty()) names.push_back(trimmed(name));
  }
  return names;
}

constexpr std::array<std::string_view, 15> kColumns{
    "id",    "verdict", "claim",    "claim_zh", "right", "right_zh", "shows", "when",
    "marks", "title",   "title_zh", "fix",      "since", "until",    "source"};

std::vector<ClaimRow> read_claims() {
  const Table table(table_bytes("data/claims.tsv"));
  const RowReader reader(table, kColumns);
  std::vector<ClaimRow> all;
  all.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cells = reader.row(row);
    const auto cell = [&](std::string_view column) {
      const auto at = std::ranges::find(kColumns, column) - kColumns.begin();
      return known_cell(cells[static_cast<std::size_t>(at)]);
    };
    ClaimRow one{.id = cell("id"),
                 .verdict = cell("verdict"),
                 .claim = {cell("claim"), cell("claim_zh")},
                 .right = {cell("right"), cell("right_zh")},
                 .shows = names_in(cell("shows")),
                 .when = cell("when"),
                 .marks = names_in(cell("marks")),
                 .title = {cell("title"), cell("title_zh")},
                 .fix = cell("fix"),
                 .since = version_cell(cell("since")),
                 .until = version_cell(cell("until")),
                 .source = cell("source")};
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

bool ClaimRow::holds_in(const Version& version) const { return in_force(*this, version); }

std::span<const ClaimRow> claims() {
  static const std::vector<ClaimRow> all = read_claims();
  return all;
}

const ClaimRow* find_claim(std::string_view id) {
  const auto all = claims();
  const auto found = std::ranges::find(all, id, &ClaimRow::id);
  return found == all.end() ? nullptr : &*found;
}

std::vector<const ClaimRow*> claims_about(std::string_view name) {
  std::vector<const ClaimRow*> rows;
  for (const ClaimRow& row : claims()) {
    if (std::ranges::find(row.shows, name) != row.shows.end()) rows.push_back(&row);
  }
  return rows;
}

}  // namespace sx
