// A handful of rows, looked through in order.
#include "knowledge/link_classes.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "knowledge/cells.h"

namespace sx {
namespace {

constexpr std::array<std::pair<std::string_view, LinkWay>, 4> kWays{{{"nvlink", LinkWay::NvLink},
                                                                     {"switch", LinkWay::Switch},
                                                                     {"root", LinkWay::Root},
                                                                     {"far", LinkWay::Far}}};

std::vector<LinkClass> read_classes() {
  static const Table table(table_bytes("data/links.tsv"));
  std::vector<LinkClass> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [row](std::string_view column) { return table.cell(row, column); };
    const auto* way = std::ranges::find(kWays, cell("way"), &decltype(kWays)::value_type::first);
    const auto score = integer_cell(cell("score"));
    if (way == kWays.end() || !score) continue;  // a table of the user's may be another one
    all.push_back({.name = cell("name"),
                   .score = static_cast<int>(*score),
                   .per_link = static_cast<int>(integer_cell(cell("per_link")).value_or(0)),
                   .way = way->second,
                   .meaning = cell("meaning"),
                   .meaning_chinese = cell("meaning_zh")});
  }
  return all;
}

const std::vector<LinkClass>& classes() {
  static const std::vector<LinkClass> all = read_classes();
  return all;
}

}  // namespace

const LinkClass* find_link_class(std::string_view printed) {
  const std::string_view name = is_nvlink(printed) ? printed.substr(0, 2) : printed;
  const auto found = std::ranges::find(classes(), name, &LinkClass::name);
  return found == classes().end() ? nullptr : &*found;
}

std::optional<int> weakest_score(LinkWay way) {
  std::optional<int> least;
  for (const LinkClass& one : classes()) {
    if (one.way == way) least = std::min(least.value_or(one.score), one.score);
  }
  return least;
}

}  // namespace sx
