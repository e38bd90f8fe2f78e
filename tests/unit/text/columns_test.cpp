// Cells of texts in many scripts and of bytes that are no text.
#include "text/columns.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace sx {
namespace {

struct Width {
  std::string_view text;
  std::size_t cells;
};

TEST(Columns, CountsCellsNotBytes) {
  const Width table[] = {
      {"", 0},
      {"abc", 3},
      {"通义千问", 8},
      {"models/通义千问-7B", 18},
      {"ｆｕｌｌ", 8},  // fullwidth Latin
      {"ﾊﾝｶｸ", 4},      // halfwidth kana
      {"한국어", 6},
      {"e\xCC\x81", 1},  // e and a combining acute
      {"a\xE2\x80\x8B"
       "b",
       2},                      // zero-width space
      {"\xF0\x9F\x9A\x80", 2},  // a rocket
      {"·×÷“”…", 6},            // ambiguous width counts as one
      {"\xFF\xC0", 2},          // no UTF-8
      {"\xE9\x80", 2},          // a cut sequence
      {"\x1b[31m", 5},
      {"（，。）", 8},
  };
  for (const auto& [text, cells] : table) EXPECT_EQ(columns(text), cells) << text;
}

TEST(Columns, OfAllCodePointsAreAtMostTwo) {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) ASSERT_LE(columns(point), 2U);
  EXPECT_EQ(columns(U'\u4E00'), 2U);
  EXPECT_EQ(columns(U'\u9FFF'), 2U);
  EXPECT_EQ(columns(static_cast<char32_t>(0x20000)), 2U);
  EXPECT_EQ(columns(static_cast<char32_t>(0x10FFFF)), 1U);
  EXPECT_EQ(columns(U'\u0301'), 0U);
}

struct Shown {
  std::string_view text;
  std::string_view shown;
};

TEST(Printable, NeverMovesTheCursor) {
  const Shown table[] = {
      {"plain text", "plain text"},
      {"通义千问", "通义千问"},
      {"a\tb", "a       b"},
      {"通\tb", "通      b"},
      {"\x1b[31mred", "␛[31mred"},
      {"a\r\nb", "a␍␊b"},
      {std::string_view("a\0b", 3), "a␀b"},
      {"\x7F", "␡"},
      {"\xC2\x9B"
       "31m",
       "�31m"},  // the one-byte control sequence introducer
      {"\xE2\x80\xAE"
       "abc",
       "�abc"},               // right-to-left override
      {"\xE2\x80\xA8", "�"},  // line separator
      {"bad \xFF end", "bad � end"},
      {"cut \xE9\x80", "cut ��"},
  };
  for (const auto& [text, shown] : table) {
    EXPECT_EQ(printable(text), shown);
    EXPECT_TRUE(is_valid_utf8(printable(text)));
  }
  EXPECT_EQ(printable("\tx", 6), "  x");
}

TEST(Printable, TakesAsManyCellsAsTheTextIsCountedToTake) {
  const std::string_view texts[] = {"a\x1b[0m", "通义\xFF", "e\xCC\x81x", "\x7F\x01",
                                    "\xE2\x80\xAE"};
  for (const std::string_view text : texts)
    EXPECT_EQ(columns(printable(text)), columns(text)) << text;
}

TEST(Padded, FillsCellsAndNeverCuts) {
  EXPECT_EQ(padded("通义", 6), "通义  ");
  EXPECT_EQ(padded_left("8", 3), "  8");
  EXPECT_EQ(padded("longer", 3), "longer");
  EXPECT_EQ(padded_left("", 2), "  ");
}

}  // namespace
}  // namespace sx
