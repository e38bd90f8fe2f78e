// Words of others in our sentences: short, whole letters, and nobody is told that a cut one is
// whole.
#include "base/shown_word.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(ShownWord, OneThatFitsIsShownWhole) {
  EXPECT_EQ(shown_word(""), "");
  EXPECT_EQ(shown_word("always_on"), "always_on");
  EXPECT_EQ(shown_word(std::string(200, 'x')), std::string(200, 'x'));
}

TEST(ShownWord, ALongOneIsCutBetweenLetters) {
  EXPECT_EQ(shown_word(std::string(100'000, 'x')), std::string(200, 'x') + "…");
  EXPECT_EQ(shown_word("模型模型", 7), "模型…");
  EXPECT_EQ(shown_word("模型模型", 6), "模型…");
  EXPECT_EQ(shown_word("ab", 0), "…");
}

TEST(ShownWord, BytesThatAreNoTextAreShownAsSuch) {
  EXPECT_EQ(shown_word("a\xff"), "a\xEF\xBF\xBD");
  const std::string shown = shown_word(std::string(1000, '\x80'), 10);
  EXPECT_TRUE(shown.starts_with("\xEF\xBF\xBD")) << shown;
  EXPECT_TRUE(shown.ends_with("…")) << shown;
}

}  // namespace
}  // namespace sx
