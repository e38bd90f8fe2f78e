// Sentences of both languages broken into lines.
#include "text/wrap.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "text/columns.h"

namespace sx {
namespace {

struct Wrapping {
  std::string_view text;
  std::size_t cells;
  std::string_view lines;  // with | between
};

TEST(Wrapped, BreaksWhereAReaderWould) {
  const Wrapping table[] = {
      {"", 10, ""},
      {"   ", 10, ""},
      {"one", 10, "one"},
      {"one two three", 8, "one two|three"},
      {"one two three", 7, "one two|three"},
      {"one two three", 6, "one|two|three"},
      {"two  blanks stay", 40, "two  blanks stay"},
      {"a incomprehensibilities b", 5, "a|incomprehensibilities|b"},
      {"引擎会在启动阶段退出", 8, "引擎会在|启动阶段|退出"},
      {"引擎会在，启动", 8, "引擎会|在，启动"},  // no comma at the start of a line
      {"这里（可用）", 7, "这里|（可|用）"},     // no opening bracket at the end of one
      {"每个 rank 必须", 8, "每个|rank 必|须"},
      {"fits: 220 864 tokens", 10, "fits:|220 864|tokens"},
      {"needs 79.2 GiB now", 10, "needs|79.2 GiB|now"},
      {"1 234 567 tokens", 5, "1 234 567|tokens"},
      {"GPU 0 has", 5, "GPU 0|has"},
      {"a\nb", 10, "a b"},
  };
  for (const auto& [text, cells, lines] : table) {
    EXPECT_EQ(join(wrapped(text, cells), "|"), lines) << text;
  }
}

TEST(Wrapped, LosesNothingButBlanksAndKeepsToTheWidth) {
  const std::string_view text =
      "KV 缓存需要 79.2 GiB，GPU 0 只剩 6.2 GiB（共 1 234 567 个 token）：引擎会在启动阶段退出; it "
      "exits.";
  for (std::size_t cells = 12; cells < 120; ++cells) {
    std::string glued;
    for (const std::string& line : wrapped(text, cells)) {
      EXPECT_LE(columns(line), cells);
      glued += line;
    }
    EXPECT_EQ(replaced(glued, " ", ""), replaced(text, " ", ""));
  }
}

TEST(Wrapped, TakesAnyWidthAndAnyBytes) {
  EXPECT_EQ(wrapped("a b", 0).size(), 2U);
  EXPECT_EQ(join(wrapped("\xFF\xE9\x80 x", 2), "|"), "\xFF\xE9\x80|x");
}

}  // namespace
}  // namespace sx
