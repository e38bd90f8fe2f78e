// Every literal is found wherever it lies, and nothing else is.
#include "logs/literal_filter.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace sx {
namespace {

using Hits = std::set<std::pair<std::size_t, int>>;

Hits hits_in(const LiteralFilter& filter, std::string_view text) {
  Hits hits;
  filter.scan(text, [&](const char* at, int owner) {
    hits.emplace(static_cast<std::size_t>(at - text.data()), owner);
    return at;
  });
  return hits;
}

TEST(LiteralFilter, FindsALiteralAtEveryAlignment) {
  const LiteralFilter filter({{"address already in use", 0}, {"1234567", 1}}, {});
  for (std::size_t before = 0; before < 40; ++before) {
    const std::string text = std::string(before, 'x') + "address already in use" + "1234567";
    EXPECT_EQ(hits_in(filter, text), (Hits{{before, 0}, {before + 22, 1}})) << before;
  }
}

TEST(LiteralFilter, TellsLiteralsThatOverlapOrShareAWindow) {
  const LiteralFilter filter(
      {{"CUDA out of memory", 0}, {"out of memory occurred", 1}, {"CUDA out of memory", 2}}, {});
  EXPECT_EQ(hits_in(filter, "a CUDA out of memory occurred"), (Hits{{2, 0}, {2, 2}, {7, 1}}));
}

TEST(LiteralFilter, PartsAtTheEndsAreNoHits) {
  const LiteralFilter filter({{"address already in use", 0}}, {});
  EXPECT_EQ(hits_in(filter, "ddress already in use"), Hits{});
  EXPECT_EQ(hits_in(filter, "address already in us"), Hits{});
  EXPECT_EQ(hits_in(filter, ""), Hits{});
}

TEST(LiteralFilter, AWindowOfRareGramsIsTakenAndStillFindsIt) {
  const LiteralFilter filter({{"INFO: Zq7#kw9", 0}}, {"INFO", "NFO:", "FO: ", "O: Z"});
  EXPECT_EQ(hits_in(filter, "xx INFO: Zq7#kw9"), (Hits{{3, 0}}));
}

TEST(LiteralFilter, GoesOnWhereItIsTold) {
  const LiteralFilter filter({{"1234567", 0}}, {});
  const std::string text = "1234567 1234567 1234567\n1234567";
  Hits hits;
  filter.scan(text, [&](const char* at, int owner) {
    hits.emplace(static_cast<std::size_t>(at - text.data()), owner);
    return at < text.data() + 23 ? text.data() + 23 : at;
  });
  EXPECT_EQ(hits, (Hits{{0, 0}, {24, 0}}));
}

}  // namespace
}  // namespace sx
