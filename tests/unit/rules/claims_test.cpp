// Conditions of popular claims name what exists, and classes of symptoms lead to a rule where one
// bears their name.
#include "knowledge/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "check/condition_answer.h"
#include "check/constraint_words.h"
#include "knowledge/flags.h"
#include "knowledge/library_variables.h"
#include "knowledge/per_engine.h"
#include "knowledge/symptoms.h"
#include "knowledge/variables.h"
#include "rules/all.h"

namespace sx {
namespace {

bool some_engine_has(std::string_view flag) {
  return std::ranges::any_of(kEnginesWithTables, [flag](std::string_view engine) {
    const EngineFlags* flags = engine_flags(engine);
    return flags != nullptr && flags->find(flag) != nullptr;
  });
}

bool known_variable(std::string_view name) {
  return find_library_variable(name) != nullptr ||
         std::ranges::any_of(kEnginesWithTables, [name](std::string_view engine) {
           return find_variable(engine, name) != nullptr;
         });
}

TEST(Claims, ConditionsNameWhatExists) {
  int asked = 0;
  for (const ClaimRow& row : claims()) {
    const auto condition = row.condition();
    if (!condition) continue;
    ++asked;
    for (const auto& node : condition->nodes()) {
      if (node.kind == Condition::Kind::Flag) {
        EXPECT_TRUE(some_engine_has(node.text)) << node.text;
      }
      if (node.kind == Condition::Kind::Variable) {
        EXPECT_TRUE(known_variable(node.text)) << node.text;
      }
      if (node.kind == Condition::Kind::Name) {
        EXPECT_NE(condition_name(node.text), nullptr) << node.text;
      }
    }
    EXPECT_EQ(expressions_in(row.title.english), expressions_in(row.title.chinese)) << row.id;
  }
  EXPECT_GE(asked, 3);
}

TEST(Symptoms, MostLeadToARule) {
  const auto ruled = std::ranges::count_if(symptoms(), [](const SymptomRow& row) {
    return !row.rule.empty() && rules::find(row.rule) != nullptr;
  });
  EXPECT_GE(ruled, 30);
}

}  // namespace
}  // namespace sx
