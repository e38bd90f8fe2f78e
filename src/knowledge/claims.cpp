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
  while (!cell.empty()) {
    const auto end = cell.find(',');
    const std::string_view name = trimmed(cell.substr(0, end));
    cell.remove_prefix(end == std::string_view::npos ? cell.size() : end + 1);
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

enum Column : std::size_t {
  kId,
  kVerdict,
  kClaim,
  kClaimZh,
  kRight,
  kRightZh,
  kShows,
  kWhen,
  kMarks,
  kTitle,
  kTitleZh,
  kFix,
  kSince,
  kUntil,
  kSource,
};
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
    const auto cell = [&cells](Column column) { return known_cell(cells[column]); };
    all.push_back({.id = cell(kId),
                   .verdict = cell(kVerdict),
                   .claim = {cell(kClaim), cell(kClaimZh)},
                   .right = {cell(kRight), cell(kRightZh)},
                   .shows = names_in(cell(kShows)),
                   .when = cell(kWhen),
                   .marks = names_in(cell(kMarks)),
                   .title = {cell(kTitle), cell(kTitleZh)},
                   .fix = cell(kFix),
                   .since = version_cell(cell(kSince)),
                   .until = version_cell(cell(kUntil)),
                   .source = cell(kSource)});
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
