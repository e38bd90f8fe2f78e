// Conditions of the constraint tables: what is read, what is refused, and that nothing is too deep.
#include "knowledge/condition.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

using Kind = Condition::Kind;

Kind root_of(std::string_view text) {
  const auto condition = Condition::read(text);
  EXPECT_TRUE(condition.has_value()) << text;
  return condition ? condition->root().kind : Kind::Number;
}

TEST(Condition, BindsFromLooseToTight) {
  EXPECT_EQ(root_of("given(--a) & b = 1 | c"), Kind::Or);
  EXPECT_EQ(root_of("given(--a) & (b = 1 | c)"), Kind::And);
  EXPECT_EQ(root_of("!a & b"), Kind::And);
  EXPECT_EQ(root_of("!(a & b)"), Kind::Not);
  EXPECT_EQ(root_of("!!a"), Kind::Name) << "twice not is not at all";
  EXPECT_EQ(root_of("a + b * 2 != c % 2"), Kind::NotEqual);
  EXPECT_EQ(root_of("a + b * 2"), Kind::Add);
  EXPECT_EQ(root_of("--x ?? 1 + 2"), Kind::Add) << "?? binds tighter than a sum";
  EXPECT_EQ(root_of("a in (1, two, --3)"), Kind::In);
}

TEST(Condition, ReadsFlagsVariablesAndKeys) {
  const auto condition =
      Condition::read("--kv-transfer-config.kv_role = 'kv_both' & $VLLM_PORT > 1");
  ASSERT_TRUE(condition.has_value());
  EXPECT_EQ(condition->node(0).kind, Kind::Flag);
  EXPECT_EQ(condition->node(0).text, "--kv-transfer-config");
  EXPECT_EQ(condition->node(0).key, "kv_role");
  EXPECT_EQ(condition->node(1).text, "kv_both");
  EXPECT_EQ(condition->node(3).kind, Kind::Variable);
  EXPECT_EQ(condition->node(3).text, "VLLM_PORT");
}

TEST(Condition, TellsASignFromADifference) {
  EXPECT_EQ(root_of("--x < -1"), Kind::Less);
  EXPECT_EQ(root_of("-1.5"), Kind::Number);
  EXPECT_EQ(Condition::read("-1.5")->root().number, -1.5);
  EXPECT_EQ(root_of("a - 1"), Kind::Subtract);
  EXPECT_EQ(root_of("a -1"), Kind::Subtract);
}

TEST(Condition, AListKeepsItsWords) {
  const auto condition = Condition::read("--x in (fp8_e4m3, 16, a.b-c)");
  ASSERT_TRUE(condition.has_value());
  const auto& list = condition->root();
  ASSERT_EQ(list.children.size(), 4U);
  EXPECT_EQ(condition->node(list.children[1]).text, "fp8_e4m3");
  EXPECT_EQ(condition->node(list.children[2]).number, 16);
  EXPECT_EQ(condition->node(list.children[3]).text, "a.b-c");
}

TEST(Condition, RefusesWhatIsNotWhole) {
  for (const char* text :
       {"",      " ", "a &", "& a", "a b",       "(a",   "a)",     "a in (", "a in ()", "a in (1,)",
        "'open", "$", "f(",  "f(a", "1.2.3 = a", "a = ", "a == b", "--x ??", "#",       "!"}) {
    std::string problem;
    EXPECT_FALSE(Condition::read(text, &problem).has_value()) << text;
    EXPECT_FALSE(problem.empty()) << text;
  }
}

TEST(Condition, IsBounded) {
  EXPECT_FALSE(Condition::read(std::string(3000, 'a')).has_value());
  EXPECT_FALSE(Condition::read(std::string(500, '(') + "a" + std::string(500, ')')).has_value());
  EXPECT_TRUE(Condition::read(std::string(500, '!') + "a").has_value());
  std::string many = "a";
  for (int i = 0; i < 400; ++i) many += "+a";
  EXPECT_FALSE(Condition::read(many).has_value()) << "more parts than a row has";
}

}  // namespace
}  // namespace sx
