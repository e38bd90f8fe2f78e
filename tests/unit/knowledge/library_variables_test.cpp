// Rows about variables hold what the rules read them by.
#include "knowledge/library_variables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "knowledge/flags.h"
#include "knowledge/per_engine.h"
#include "knowledge/variables.h"

namespace sx {
namespace {

TEST(LibraryVariables, AreFoundByTheirWholeName) {
  const auto* row = find_library_variable("NCCL_P2P_LEVEL");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->library, "nccl");
  EXPECT_EQ(row->type, "level");
  EXPECT_NE(std::ranges::find(row->words, "PHB"), row->words.end());
  EXPECT_EQ(find_library_variable("NCCL_P2P_LEVE"), nullptr);
  EXPECT_EQ(find_library_variable(""), nullptr);
}

TEST(LibraryVariables, SayTheirKindInKnownWordsAndInBothLanguages) {
  const std::set<std::string_view> kTypes{"number",         "level",      "words",
                                          "words_any_case", "words_list", "text",
                                          "truth",          "algorithms", "interfaces"};
  const std::set<std::string_view> kWithWords{"level", "words", "words_any_case", "words_list",
                                              "algorithms"};
  for (const LibraryVariable& row : library_variables()) {
    EXPECT_TRUE(kTypes.contains(row.type)) << row.name;
    EXPECT_EQ(kWithWords.contains(row.type), !row.words.empty()) << row.name;
    EXPECT_FALSE(row.meaning.empty() || row.meaning_chinese.empty()) << row.name;
    if (!row.successor.empty()) {
      EXPECT_NE(find_library_variable(row.successor), nullptr) << row.name;
    }
  }
}

TEST(DebugVariables, SayWhenTheyCountAndWhatTheyCost) {
  const std::set<std::string_view> kWhen{"number", "word", "truth", "in_list", "set"};
  for (const DebugVariable& row : debug_variables()) {
    EXPECT_TRUE(kWhen.contains(row.when)) << row.name;
    EXPECT_EQ(row.when == "set", row.value.empty()) << row.name;
    EXPECT_FALSE(row.cost.empty() || row.cost_chinese.empty()) << row.name;
    EXPECT_FALSE(row.cost.ends_with('.') || row.cost_chinese.ends_with("。")) << row.name;
  }
}

TEST(Variables, SayHowTheyAreReadAndBySuccessorsThatExist) {
  const std::set<std::string_view> kReads{"",     "number",      "fraction", "one",
                                          "true", "one_or_true", "any_text"};
  for (const std::string_view engine : kEnginesWithTables) {
    const EngineFlags* flags = engine_flags(engine);
    for (const std::string_view name : variable_names(engine)) {
      const VariableRow* row = find_variable(engine, name);
      ASSERT_NE(row, nullptr) << name;
      EXPECT_TRUE(kReads.contains(row->reads)) << name;
      EXPECT_EQ(row->reads.empty(), !row->reads_at.has_value()) << name;
      if (row->successor.empty()) continue;
      const auto flag = row->successor.substr(0, row->successor.find_first_of(" ."));
      EXPECT_NE(flags->find(flag), nullptr) << name << " " << flag;
    }
  }
}

}  // namespace
}  // namespace sx
