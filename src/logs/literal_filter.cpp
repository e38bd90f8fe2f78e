// The window of a literal is the seven bytes whose four grams are the rarest in ordinary logs.
#include "logs/literal_filter.h"

#include <limits>

#include "base/check.h"

namespace sx {
namespace {

constexpr std::size_t kSlots = std::size_t{1} << 16U;
constexpr std::size_t kGram = 4;

}  // namespace

std::size_t LiteralFilter::rarest_window(std::string_view text,
                                         const std::vector<std::uint32_t>& cost) {
  std::size_t best = 0;
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t window = 0; window + kShortestLiteral <= text.size(); ++window) {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < kGram; ++k) sum += cost[slot(text.data() + window + k)];
    if (sum >= least) continue;
    least = sum;
    best = window;
  }
  return best;
}

LiteralFilter::LiteralFilter(const std::vector<Literal>& literals,
                             const std::vector<std::string_view>& common)
    : there_(kSlots, 0), heads_(kSlots, 0) {
  // The commonest stand first: a later one is the better choice, one that is not there the best.
  std::vector<std::uint32_t> cost(kSlots, 0);
  for (std::size_t i = 0; i < common.size(); ++i) {
    if (common[i].size() == kGram)
      cost[slot(common[i].data())] += static_cast<std::uint32_t>(common.size() - i);
  }
  for (const Literal& literal : literals) {
    SX_ASSERT(literal.text.size() >= kShortestLiteral);
    const std::size_t best = rarest_window(literal.text, cost);
    for (std::size_t k = 0; k < kGram; ++k) {
      const std::uint32_t at = slot(literal.text.data() + best + k);
      SX_ASSERT(entries_.size() < std::numeric_limits<std::uint16_t>::max());
      entries_.push_back({.text = literal.text,
                          .offset = static_cast<int>(best + k),
                          .owner = literal.owner,
                          .next = heads_[at]});
      heads_[at] = static_cast<std::uint16_t>(entries_.size() - 1);
      there_[at] = 1;
    }
  }
}

const char* LiteralFilter::next_probe(const char* at, const char* end) const {
  const std::uint8_t* const there = there_.data();
  // Eight probes before each question: their loads do not wait for one another.
  while (end - at >= 32) {
    const unsigned any = static_cast<unsigned>(there[slot(at)]) | there[slot(at + 4)] |
                         there[slot(at + 8)] | there[slot(at + 12)] | there[slot(at + 16)] |
                         there[slot(at + 20)] | there[slot(at + 24)] | there[slot(at + 28)];
    if (any != 0) break;
    at += 32;
  }
  while (end - at >= 4 && there[slot(at)] == 0) at += 4;
  return at;
}

}  // namespace sx
