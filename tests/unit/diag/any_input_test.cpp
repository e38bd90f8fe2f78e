// Laws of the text form that hold for whatever a user's files contain.
#include <gtest/gtest.h>

#include <cstdint>

#include "base/strings.h"
#include "base/utf8.h"
#include "diag/render.h"
#include "examples.h"
#include "text/columns.h"

namespace sx::examples {
namespace {

// Numbers that look random and are the same on every run.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33U) % limit;
  }

 private:
  std::uint64_t state_;
};

std::string any_text(Dice& dice, std::size_t most) {
  constexpr std::string_view kParts[] = {"--tp 8",
                                         " ",
                                         " ",
                                         " --max-model-len=32768 ",
                                         "通义千问",
                                         "\t",
                                         "\r\n",
                                         "\n",
                                         "\r",
                                         "\xFF",
                                         "\xE9\x80",
                                         "e\xCC\x81",
                                         "'",
                                         "\"",
                                         "\\",
                                         "\\\n",
                                         "\x1b[2J",
                                         "\xEF\xBB\xBF",
                                         "，",
                                         "（",
                                         "a",
                                         "vllm serve ",
                                         "\xF0\x9F\x9A\x80",
                                         "\xE2\x80\xAE",
                                         "{\"heads\": 28, ",
                                         "-",
                                         "\xCC\x81\xCC\x81"};
  std::string out;
  for (std::size_t parts = dice.below(most + 1); parts > 0; --parts)
    out += kParts[dice.below(std::size(kParts))];
  return out;
}

Message any_message(Dice& dice) {
  return dice.below(3) == 0 ? Message{} : plain(any_text(dice, 12));
}

Diagnostic any_diagnostic(Dice& dice, const Sources& sources) {
  Diagnostic d = simple("SX2103", static_cast<Severity>(dice.below(3)), any_text(dice, 9));
  for (std::size_t i = dice.below(4); i > 0; --i) {
    const int source = static_cast<int>(dice.below(sources.all().size() + 1)) - 1;
    const std::size_t size = source < 0 ? 1 : sources.at(source).text.size() + 4;
    const std::size_t begin = dice.below(size);
    d.labels.push_back({{source, begin, begin + dice.below(30)}, any_message(dice), i == 1});
  }
  for (std::size_t i = dice.below(3); i > 0; --i) d.basis.push_back(any_message(dice));
  d.otherwise = any_message(dice);
  d.no_fix = any_message(dice);
  return d;
}

// The longest stretch that cannot be broken: words of users are kept whole.
std::size_t longest_word(std::string_view line) {
  std::size_t longest = 0;
  for (const std::string_view word : split(line, ' ')) longest = std::max(longest, columns(word));
  return longest;
}

TEST(AnyInput, EveryLineIsPrintableAndKeepsToTheWidth) {
  Dice dice(7);
  for (int round = 0; round < 1000; ++round) {
    Sources sources;
    command_line(sources, any_text(dice, 30));
    file(sources, "serve.sh", any_text(dice, 60));
    const Diagnostic d = any_diagnostic(dice, sources);
    const std::size_t width = 60 + dice.below(60);
    const Language language = dice.below(2) == 0 ? Language::English : Language::Chinese;
    const std::string text = render_text(d, sources, {.language = language, .width = width});
    ASSERT_TRUE(is_valid_utf8(text));
    ASSERT_TRUE(text.ends_with('\n'));
    ASSERT_EQ(text, render_text(d, sources, {.language = language, .width = width}));
    for (const std::string_view line : lines_of(text)) {
      ASSERT_EQ(printable(line), line);
      ASSERT_FALSE(line.ends_with(' ')) << text;
      if (longest_word(line) < 36) ASSERT_LE(columns(line), width) << text;
    }
  }
}

TEST(AnyInput, ThreeHundredFindingsAreOnePage) {
  Dice dice(11);
  Sources sources;
  command_line(sources, "vllm serve 通义 --tp 8 --pp 2");
  file(sources, "config.json", "{\n\"heads\": 28\n}");
  Outcome outcome;
  for (int i = 0; i < 300; ++i) outcome.diagnostics.push_back(any_diagnostic(dice, sources));
  for (const bool all : {false, true}) {
    const Style style{.width = 80, .all = all};
    const std::string page = render_text(outcome, sources, Asked{}, style);
    EXPECT_EQ(page, render_text(outcome, sources, Asked{}, style));
    EXPECT_TRUE(is_valid_utf8(page));
    EXPECT_EQ(page.find("\n\n\n"), std::string::npos);
  }
  EXPECT_EQ(lines_of(render_short(outcome, sources, Style{})).size(), 300U);
}

TEST(AnyInput, EmptyTextsAreNoTrouble) {
  Sources sources;
  command_line(sources, "");
  Diagnostic d;
  d.code = "SX1000";
  d.labels = {{{0, 0, 0}, {}, true}};
  d.fixes = {{}};
  EXPECT_EQ(render_text(d, sources, Style{}),
            "error[SX1000]:\n --> command line\n  |\n  |\n  | ^\nfix:\nexplain: sextant explain "
            "SX1000\n");
  EXPECT_EQ(render_text(Diagnostic{}, Sources{}, Style{.width = 0}),
            "error[]:\nexplain: sextant explain \n");
}

}  // namespace
}  // namespace sx::examples
