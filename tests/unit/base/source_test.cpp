// Lines and columns in texts of any shape, and UTF-8 that may be none.
#include "base/source.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"

namespace sx {
namespace {

Source text(std::string bytes) {
  return {.kind = SourceKind::File, .name = "f", .uri = {}, .text = std::move(bytes)};
}

std::string place(const std::string& bytes, std::size_t byte) {
  const Place found = place_of(text(bytes), byte);
  return std::to_string(found.line) + ":" + std::to_string(found.column);
}

TEST(PlaceOf, CountsFromOne) {
  EXPECT_EQ(place("", 0), "1:1");
  EXPECT_EQ(place("ab\ncd", 0), "1:1");
  EXPECT_EQ(place("ab\ncd", 2), "1:3");  // the line end belongs to its line
  EXPECT_EQ(place("ab\ncd", 3), "2:1");
  EXPECT_EQ(place("ab\ncd", 5), "2:3");
  EXPECT_EQ(place("ab\ncd", 999), "2:3");  // past the end is the end
}

TEST(PlaceOf, KnowsAllThreeLineEnds) {
  EXPECT_EQ(place("a\r\nb", 3), "2:1");
  EXPECT_EQ(place("a\rb", 2), "2:1");
  EXPECT_EQ(place("a\r\rb", 3), "3:1");
  EXPECT_EQ(place("a\r", 2), "2:1");
}

TEST(PlaceOf, CountsAByteOrderMarkAsNothing) {
  EXPECT_EQ(place("\xEF\xBB\xBF"
                  "ab",
                  3),
            "1:1");
  EXPECT_EQ(place("\xEF\xBB\xBF"
                  "ab",
                  4),
            "1:2");
  EXPECT_EQ(place("\xEF\xBB\xBF"
                  "ab",
                  0),
            "1:1");
}

TEST(PlaceOf, CountsCodePointsNotBytes) {
  EXPECT_EQ(place("模型 x", 7), "1:4");  // two of three bytes, a blank
  EXPECT_EQ(place("\xF0\x9F\x98\x80x", 4), "1:2");
  EXPECT_EQ(place("\xff\xfe"
                  "x",
                  2),
            "1:3");  // a byte that is no UTF-8 counts as one
}

TEST(LineBounds, AreTheLineWithoutItsEnd) {
  const auto line = [](const std::string& bytes, std::size_t byte) {
    const auto bounds = line_bounds(text(bytes), byte);
    return bytes.substr(bounds.begin, bounds.end - bounds.begin);
  };
  EXPECT_EQ(line("ab\ncd\nef", 4), "cd");
  EXPECT_EQ(line("ab\r\ncd", 0), "ab");
  EXPECT_EQ(line("ab\rcd", 4), "cd");
  EXPECT_EQ(line("\xEF\xBB\xBF"
                 "ab\n",
                 4),
            "ab");
  EXPECT_EQ(line("", 0), "");
  EXPECT_EQ(line("ab\n", 99), "");
}

TEST(Sources, KeepWhatTheyWereGiven) {
  Sources sources;
  const int first = sources.add(text("hello world"));
  const int second =
      sources.add({.kind = SourceKind::CommandLine, .name = {}, .uri = {}, .text = "vllm serve"});
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(sources.text({.source = first, .begin = 6, .end = 11}), "world");
  EXPECT_EQ(sources.at(second).kind, SourceKind::CommandLine);
  EXPECT_EQ(sources.all().size(), 2U);
}

TEST(Utf8, DecodesAndWritesTheSame) {
  for (const char32_t value : {U'a', U'\u00e9', U'模', U'\U0001F600', U'\U0010FFFF'}) {
    std::string bytes;
    append_utf8(bytes, value);
    const auto point = decode_utf8(bytes);
    EXPECT_TRUE(point.valid);
    EXPECT_EQ(point.value, value);
    EXPECT_EQ(point.length, bytes.size());
  }
}

TEST(Utf8, RefusesWhatIsNone) {
  const std::string bad[] = {"\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                             "\xF5", "\xE6\xA8", "\xFF"};
  for (const auto& bytes : bad) {
    EXPECT_FALSE(decode_utf8(bytes).valid);
    EXPECT_EQ(decode_utf8(bytes).length, 1U);
    EXPECT_FALSE(is_valid_utf8(bytes));
  }
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(valid_utf8("模型"), "模型");
}

}  // namespace
}  // namespace sx
