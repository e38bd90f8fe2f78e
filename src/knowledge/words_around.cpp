// One short table, read once.
#include "knowledge/words_around.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

using enum AroundUse;
using Words = std::vector<std::string_view>;

constexpr std::array<std::pair<std::string_view, AroundUse>, 7> kUses{{{"brings", Brings},
                                                                       {"script", Script},
                                                                       {"asks", Asks},
                                                                       {"unit", Unit},
                                                                       {"cluster", Cluster},
                                                                       {"moves", Moves},
                                                                       {"elsewhere", Elsewhere}}};

std::array<Words, kUses.size()> read_words() {
  const Table table(table_bytes("data/words_around.tsv"));
  std::array<Words, kUses.size()> words;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto use = std::ranges::find(kUses, table.cell(row, "use"),
                                       &std::pair<std::string_view, AroundUse>::first);
    SX_ASSERT(use != kUses.end());
    words.at(static_cast<std::size_t>(use->second)).push_back(table.cell(row, "name"));
  }
  return words;
}

}  // namespace

std::span<const std::string_view> words_around(AroundUse use) {
  static const auto kWords = read_words();
  return kWords.at(static_cast<std::size_t>(use));
}

}  // namespace sx
