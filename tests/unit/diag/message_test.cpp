// Numbers and sentences as people read them.
#include "diag/message.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sx {
namespace {

std::string english(const Value& value) { return rendered(value, Language::English); }

TEST(Rendered, BytesInAUnitOfSuitableSize) {
  const std::pair<std::int64_t, std::string_view> table[] = {
      {0, "0 B"},
      {1, "1 B"},
      {1023, "1.0 KiB"},  // 0.999 rounds to one
      {900, "900 B"},
      {1024, "1.0 KiB"},
      {1536, "1.5 KiB"},
      {64LL << 20, "64.0 MiB"},
      {(1LL << 30) - 1, "1.0 GiB"},
      {85040267264, "79.2 GiB"},
      {40LL << 30, "40.0 GiB"},
      {3LL << 40, "3.0 TiB"},
      {-(64LL << 20), "-64.0 MiB"},
      {std::numeric_limits<std::int64_t>::max(), "8388608.0 TiB"},
      {std::numeric_limits<std::int64_t>::min(), "-8388608.0 TiB"},
  };
  for (const auto& [count, words] : table) {
    EXPECT_EQ(english(Bytes{count}), words);
    EXPECT_EQ(rendered(Value(Bytes{count}), Language::Chinese), words);
  }
}

TEST(Rendered, TokensInGroupsOfThree) {
  EXPECT_EQ(english(Tokens{0}), "0");
  EXPECT_EQ(english(Tokens{999}), "999");
  EXPECT_EQ(english(Tokens{5168}), "5 168");
  EXPECT_EQ(english(Tokens{220864}), "220 864");
  EXPECT_EQ(english(Tokens{1234567}), "1 234 567");
  EXPECT_EQ(english(Tokens{-1234}), "-1 234");
}

TEST(Rendered, DoublesWithAtMostTwoDecimals) {
  EXPECT_EQ(english(0.92), "0.92");
  EXPECT_EQ(english(0.9), "0.9");
  EXPECT_EQ(english(2.0), "2");
  EXPECT_EQ(english(6.744), "6.74");
  EXPECT_EQ(english(100.0), "100");
  EXPECT_EQ(english(-0.001), "0");
  EXPECT_EQ(english(std::nan("")), "unknown");
  EXPECT_EQ(rendered(Value(std::numeric_limits<double>::infinity()), Language::Chinese), "未知");
}

constexpr Text kSentence{"{heads} heads, {origin}", "{origin}有 {heads} 个头"};
constexpr Text kOrigin{"from the catalogue", "目录里"};

TEST(Rendered, SentencesInOneLanguageThroughout) {
  const Message message{kSentence, {{"heads", 28}, {"origin", kOrigin}}};
  EXPECT_EQ(rendered(message, Language::English), "28 heads, from the catalogue");
  EXPECT_EQ(rendered(message, Language::Chinese), "目录里有 28 个头");
  EXPECT_EQ(rendered(Message{}, Language::English), "");
}

TEST(Rendered, AClauseMadeAtRunTimeFollowsTheSentence) {
  constexpr Text kWhy{"no answer: {why}", "没有应答：{why}"};
  const Message message{kWhy, {{"why", Both{"no such file", "没有这个文件"}}}};
  EXPECT_EQ(rendered(message, Language::English), "no answer: no such file");
  EXPECT_EQ(in_both(message).chinese, "没有应答：没有这个文件");
}

TEST(Rendered, TextOfTheUserIsNotReadAgain) {
  const Message message{kSentence, {{"heads", "{origin}"}, {"origin", "{"}}};
  EXPECT_EQ(rendered(message, Language::English), "{origin} heads, {");
}

TEST(RenderedDeathTest, APlaceholderWithoutAnArgumentIsABug) {
  EXPECT_DEATH(rendered(Message{kSentence, {{"heads", 1}}}, Language::English), "bug");
}

}  // namespace
}  // namespace sx
