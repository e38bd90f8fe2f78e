// Texts that can only be paths, and folders that hold others.
#include "facts/paths.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(Paths, NamesOfRepositoriesAreNone) {
  for (const char* text : {"/models/a", "./a", "~/a", "a/b/c", "models/"}) {
    EXPECT_TRUE(names_path(text)) << text;
  }
  for (const char* text : {"Qwen/Qwen2.5-7B-Instruct", "gpt2", ""}) {
    EXPECT_FALSE(names_path(text)) << text;
  }
}

TEST(Paths, AFolderHoldsItselfAndWhatIsBelow) {
  EXPECT_TRUE(lies_under("/models/a", "/models"));
  EXPECT_TRUE(lies_under("/models/a", "/models/"));
  EXPECT_TRUE(lies_under("/models", "/models"));
  EXPECT_TRUE(lies_under("/models", "/"));
  EXPECT_FALSE(lies_under("/models2/a", "/models"));
  EXPECT_FALSE(lies_under("/models/a", ""));
}

}  // namespace
}  // namespace sx
