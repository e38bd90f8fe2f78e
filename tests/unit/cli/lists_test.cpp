// Lists that `explain` gives: by the word for all and by the word for one.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/explain.h"

namespace sx {
namespace {

TEST(Lists, OneOfAKindAsksForAll) {
  for (const auto& [all, one] : {std::pair{"rules", "rule"},
                                 {"gpus", "GPU"},
                                 {"xids", "Xid"},
                                 {"engines", "engine"},
                                 {"causes", "cause"}}) {
    const auto whole = explain_list(all, Language::English);
    const auto asked = explain_list(one, Language::English);
    ASSERT_FALSE(whole.empty()) << all;
    ASSERT_FALSE(asked.empty()) << one;
    EXPECT_EQ(asked.front().name, whole.front().name);
    EXPECT_EQ(asked.front().text, whole.front().text);
  }
  for (const char* none : {"rulez", "model", "quantization", ""})
    EXPECT_TRUE(explain_list(none, Language::English).empty()) << none;
}

// What is offered as the nearest word can be asked for.
TEST(Lists, EveryListIsOfferedByItsName) {
  const auto names = explainable_names();
  for (const char* list : {"rules", "flags", "models", "causes", "quantisation", "claims"})
    EXPECT_NE(std::ranges::find(names, list), names.end()) << list;
}

}  // namespace
}  // namespace sx
