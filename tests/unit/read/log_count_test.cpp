// Counting by many bytes at once agrees with counting one by one, at every length and alignment.
#include "read/log_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace sx {
namespace {

TEST(CountLineEnds, AgreesWithCountingOneByOne) {
  std::string text;
  unsigned state = 7;
  for (int i = 0; i < 9000; ++i) {
    state = state * 1664525U + 1013904223U;
    text += state >> 28U == 0 ? '\n' : static_cast<char>(state >> 20U);
  }
  for (std::size_t begin = 0; begin < 20; ++begin) {
    for (const std::size_t length : {0UL, 1UL, 7UL, 8UL, 15UL, 16UL, 17UL, 255UL, 4081UL, 8900UL}) {
      const std::string_view part = std::string_view(text).substr(begin, length);
      EXPECT_EQ(count_line_ends(part), static_cast<std::uint64_t>(std::ranges::count(part, '\n')));
    }
  }
}

TEST(CountLineEnds, CountersOfOneByteDoNotRunOver) {
  EXPECT_EQ(count_line_ends(std::string(100'000, '\n')), 100'000U);
  EXPECT_EQ(count_line_ends(std::string(100'000, '\xFF')), 0U);
}

}  // namespace
}  // namespace sx
