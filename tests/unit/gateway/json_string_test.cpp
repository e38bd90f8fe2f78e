// The end of a string, held against the plainest reader of escapes.
#include "gateway/json_string.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace sx {
namespace {

std::size_t plainly(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at;
  }
  return std::string_view::npos;
}

TEST(StringEnd, IsTheFirstQuoteThatNothingEscapes) {
  EXPECT_EQ(string_end(R"(abc" ")", 0), 3U);
  EXPECT_EQ(string_end(R"(a\"c" ")", 0), 4U);
  EXPECT_EQ(string_end(R"(a\\" ")", 0), 3U);
  EXPECT_EQ(string_end(R"(a\\\")", 0), std::string_view::npos);
  EXPECT_EQ(string_end("", 0), std::string_view::npos);
}

// Runs of backslashes of every length, laid over every place of a block of 64 bytes and its edges.
TEST(StringEnd, IsFoundWhereverRunsOfBackslashesLie) {
  for (std::size_t before = 0; before < 140; ++before) {
    for (std::size_t run = 0; run < 140; run += run < 4 ? 1 : 67) {
      const std::string text = std::string("\\\"") + std::string(before, 'x') +
                               std::string(run, '\\') + "\"" + std::string(70, 'y') + "\"";
      ASSERT_EQ(string_end(text, 0), plainly(text, 0)) << before << ' ' << run;
    }
  }
}

TEST(StringEnd, AgreesWithThePlainReaderOnRandomText) {
  std::mt19937 random(20261130);
  constexpr std::string_view kLetters = "\\\\\\\\\"ab";
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "\\\"";
    const std::size_t size = random() % 300;
    // Quotes alone would end most of it at once.
    const std::size_t letters = random() % 2 == 0 ? kLetters.size() : 4;
    for (std::size_t i = 0; i < size; ++i) text += kLetters[random() % letters];
    text += "\" and \\\" more\"";
    ASSERT_EQ(string_end(text, 0), plainly(text, 0)) << text;
  }
}

}  // namespace
}  // namespace sx
