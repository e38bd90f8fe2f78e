// The table of words around a launch.
#include "knowledge/words_around.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sx {
namespace {

using enum AroundUse;

bool holds(AroundUse use, std::string_view word) {
  return std::ranges::find(words_around(use), word) != words_around(use).end();
}

TEST(WordsAround, OfEachUseThereAreSomeAndTheyAreItsOwn) {
  EXPECT_TRUE(holds(Brings, "curl"));
  EXPECT_TRUE(holds(Script, ".sh"));
  EXPECT_TRUE(holds(Asks, "test -f"));
  EXPECT_TRUE(holds(Unit, "ExecStartPre="));
  EXPECT_TRUE(holds(Cluster, "#SBATCH"));
  EXPECT_TRUE(holds(Moves, "cd"));
  EXPECT_TRUE(holds(Elsewhere, "--chdir"));
  EXPECT_FALSE(holds(Moves, "curl"));
}

// A word that holds the blank or the quote at which a text is cut would never be found in it.
TEST(WordsAround, ThoseThatAreLookedForAsWordsAreWhole) {
  for (const AroundUse use : {Brings, Moves, Elsewhere}) {
    for (const std::string_view word : words_around(use)) {
      EXPECT_FALSE(word.empty());
      EXPECT_EQ(word.find_first_of(" \t;&|()'\"\\`{}"), std::string_view::npos) << word;
    }
  }
}

}  // namespace
}  // namespace sx
