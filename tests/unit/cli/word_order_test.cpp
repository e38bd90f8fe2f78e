// Words that people put in another order: options before the command, `help` before both.
#include "cli/word_order.h"

#include <gtest/gtest.h>

#include "cli/arguments.h"

namespace sx {
namespace {

using Words = std::vector<std::string>;

Words ordered(Words words) {
  put_in_order(words);
  return words;
}

TEST(WordOrder, OptionsOfEveryCommandMayStandBeforeIt) {
  EXPECT_EQ(ordered({"--lang", "zh", "status", "--name", "chat"}),
            (Words{"status", "--lang", "zh", "--name", "chat"}));
  EXPECT_EQ(ordered({"--lang=zh", "--color", "never", "up", "-"}),
            (Words{"up", "--lang=zh", "--color", "never", "-"}));
  const auto read = parse_arguments({"--lang", "zh", "plan", "M"});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->command->name, "plan");
  EXPECT_EQ(read->language(), Language::Chinese);
}

TEST(WordOrder, OptionsOfOneCommandStayWhereTheyAre) {
  EXPECT_EQ(ordered({"--name", "chat", "status"}), (Words{"--name", "chat", "status"}));
  EXPECT_EQ(ordered({"--lang", "zh"}), (Words{"--lang", "zh"}));
  EXPECT_EQ(ordered({"--lang"}), Words{"--lang"});
  EXPECT_EQ(ordered({"--version"}), Words{"--version"});
  EXPECT_EQ(ordered({}), Words{});
}

TEST(WordOrder, HelpKeepsTheLanguageThatIsAskedFor) {
  EXPECT_EQ(ordered({"help", "up", "--lang", "zh"}), (Words{"up", "--lang", "zh", "--help"}));
  EXPECT_EQ(ordered({"--lang", "zh", "help", "up"}), (Words{"up", "--lang", "zh", "--help"}));
  EXPECT_EQ(ordered({"help", "--lang", "zh"}), (Words{"--lang", "zh", "--help"}));
  EXPECT_EQ(ordered({"help", "up", "typo", "--port"}), (Words{"up", "--help"}));
  EXPECT_EQ(ordered({"help"}), Words{"--help"});
}

}  // namespace
}  // namespace sx
