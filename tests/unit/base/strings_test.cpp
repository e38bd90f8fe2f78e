// Small text work: good beside bad.
#include "base/strings.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

namespace sx {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Trimmed, TakesBlanksOffBothEnds) {
  EXPECT_EQ(trimmed("  a b\t\r\n"), "a b");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" \n\t "), "");
}

TEST(Lower, ChangesAsciiLettersAlone) {
  EXPECT_EQ(lower("A100-SXM é Ä"), "a100-sxm é Ä");
  EXPECT_EQ(lower("[@`{"), "[@`{");  // neighbours of the letters
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,b", ','), (Parts{"a", "b"}));
  EXPECT_EQ(split(",a,,", ','), (Parts{"", "a", "", ""}));
  EXPECT_EQ(split("", ','), (Parts{""}));
}

TEST(LinesOf, KnowsAllThreeLineEnds) {
  EXPECT_EQ(lines_of("a\nb\r\nc\rd"), (Parts{"a", "b", "c", "d"}));
  EXPECT_EQ(lines_of("a\n"), (Parts{"a"}));
  EXPECT_EQ(lines_of("\n\na"), (Parts{"", "", "a"}));
  EXPECT_EQ(lines_of("\r\r\n"), (Parts{"", ""}));
  EXPECT_EQ(lines_of(""), Parts{});
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(join(std::vector<int>{1, 2, 4}), "1, 2, 4");
  EXPECT_EQ(join(std::vector<std::string>{"a"}, "-"), "a");
  EXPECT_EQ(join(std::vector<std::string>{}, "-"), "");
  EXPECT_EQ(join(std::vector<int>{-1, 0, std::numeric_limits<int>::min()}, "/"),
            "-1/0/-2147483648");
  EXPECT_EQ(join(std::vector<int>{}, ","), "");
}

TEST(Replaced, ChangesEveryPlaceOnce) {
  EXPECT_EQ(replaced("a_b_c", "_", "--"), "a--b--c");
  EXPECT_EQ(replaced("aaa", "a", "aa"), "aaaaaa");  // what was put in is not read again
  EXPECT_EQ(replaced("abc", "", "x"), "abc");
  EXPECT_EQ(replaced("", "a", "x"), "");
}

TEST(ToInteger, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(to_integer("8192"), 8192);
  EXPECT_EQ(to_integer("+7"), 7);
  EXPECT_EQ(to_integer("-1"), -1);
  EXPECT_EQ(to_integer("9223372036854775807"), std::numeric_limits<long long>::max());
  for (const char* bad :
       {"", " 8", "8 ", "8k", "0x10", "1.0", "++1", "-", "+", "9223372036854775808", "八"}) {
    EXPECT_EQ(to_integer(bad), std::nullopt) << bad;
  }
}

TEST(ToNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(to_number("0.92"), 0.92);
  EXPECT_EQ(to_number(".5"), 0.5);
  EXPECT_EQ(to_number("1e3"), 1000);
  EXPECT_EQ(to_number("-2"), -2);
  for (const char* bad : {"", " 1", "1 ", "0,9", "90%", ".", "1e999", "abc"}) {
    EXPECT_EQ(to_number(bad), std::nullopt) << bad;
  }
}

// Short decimals are read in a way of our own, which rounds as the library does.
TEST(ToNumber, RoundsAsTheLibraryDoes) {
  std::uint64_t state = 1;
  const auto next = [&state] {
    return state = state * 6364136223846793005U + 1442695040888963407U;
  };
  for (int i = 0; i < 20000; ++i) {
    std::string text = std::to_string((next() >> 20) % 1'000'000'000'000'000'000U);
    text.resize(1 + (next() >> 33) % text.size());
    if (const auto point = (next() >> 33) % (text.size() + 1); point > 0 && point < text.size())
      text.insert(point, ".");
    double library = 0;
    std::from_chars(text.data(), text.data() + text.size(), library);
    EXPECT_EQ(to_number(text), library) << text;
  }
  EXPECT_EQ(to_number("5."), 5);
  EXPECT_EQ(to_number("007.50"), 7.5);
  EXPECT_EQ(to_number("1.2.3"), std::nullopt);
  EXPECT_EQ(to_number("1."), 1);
  EXPECT_EQ(to_number("123456789012345678901234567890"), 123456789012345678901234567890.0);
}

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("same", "same", 9), 0);
  EXPECT_EQ(edit_distance("tensor", "tenser", 9), 1);
  EXPECT_EQ(edit_distance("tenosr", "tensor", 9), 1);  // neighbours swapped
  EXPECT_EQ(edit_distance("", "abc", 9), 3);
  EXPECT_EQ(edit_distance("abc", "", 9), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting", 9), 3);
}

TEST(EditDistance, StopsAtTheLimitAndAtHostileLengths) {
  EXPECT_EQ(edit_distance("aaaa", "bbbb", 2), 2);
  EXPECT_EQ(edit_distance(std::string(100000, 'a'), std::string(100000, 'a'), 5), 5);
  EXPECT_EQ(edit_distance("", "", 5), 0);
}

TEST(Closest, OffersTheNearestFirstAndNothingFar) {
  const Parts flags{"--tensor-parallel-size", "--pipeline-parallel-size", "--port", "--host"};
  EXPECT_EQ(closest("--tensor-paralel-size", flags).front(), "--tensor-parallel-size");
  EXPECT_EQ(closest("--PORT", flags).front(), "--port");
  EXPECT_TRUE(closest("--gpu-memory-utilization", {"--port"}).empty());
  EXPECT_TRUE(closest("x", {}).empty());
}

TEST(Closest, IsBoundedAndHasNoDoubles) {
  EXPECT_EQ(closest("aa", {"ab", "ab", "ac", "ad", "ae"}, 3),
            (std::vector<std::string>{"ab", "ac", "ad"}));
  EXPECT_TRUE(closest(std::string(10000, 'x'), {"xxxx"}).empty());
}

}  // namespace
}  // namespace sx
