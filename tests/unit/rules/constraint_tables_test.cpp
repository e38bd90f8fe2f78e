// The rows of the engines' constraint tables, as whoever writes them may get them wrong.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/strings.h"
#include "check/condition_answer.h"
#include "check/constraint_words.h"
#include "knowledge/constraints.h"
#include "knowledge/flags.h"
#include "knowledge/per_engine.h"
#include "rules/all.h"

namespace sx {
namespace {

// Every name, flag and function of a condition is known to that engine.
void check_names(const EngineFlags& flags, std::string_view text) {
  std::string problem;
  const auto condition = Condition::read(text, &problem);
  ASSERT_TRUE(condition.has_value()) << text << ": " << problem;
  for (const auto& node : condition->nodes()) {
    if (node.kind == Condition::Kind::Flag) {
      const FlagRow* row = flags.find(node.text);
      ASSERT_NE(row, nullptr) << node.text << " in " << text;
      EXPECT_EQ(row->name, node.text) << "an alias; conditions use the table's name";
    }
    if (node.kind == Condition::Kind::Name) {
      EXPECT_NE(condition_name(node.text), nullptr) << node.text << " in " << text;
    }
    if (node.kind == Condition::Kind::Call) {
      EXPECT_TRUE(condition_function(node.text, node.children.size())) << node.text;
    }
  }
}

void check_sentence(const EngineFlags& flags, const Sentence& sentence) {
  EXPECT_EQ(sentence.english.empty(), sentence.chinese.empty());
  const auto english = expressions_in(sentence.english);
  const auto chinese = expressions_in(sentence.chinese);
  EXPECT_EQ(std::set(english.begin(), english.end()), std::set(chinese.begin(), chinese.end()))
      << sentence.english;
  for (const auto expression : english) check_names(flags, expression);
}

void check_mark(const EngineFlags& flags, const ConstraintRow& row, std::string_view mark) {
  if (mark.starts_with("--")) {
    EXPECT_NE(flags.find(mark), nullptr) << mark;
  } else if (!mark.starts_with('$')) {
    const ConditionName* name = condition_name(mark);
    ASSERT_NE(name, nullptr) << mark;
    EXPECT_NE(name->place, nullptr) << mark << " stands nowhere";
  }
  if (mark != row.marks.front() || mark == "model") return;
  const ConditionName* name = condition_name(mark);
  EXPECT_TRUE(row.when.contains(mark) || name != nullptr || mark == "--kv-cache-dtype")
      << mark << " is not in " << row.when;
}

void check_fix(const EngineFlags& flags, std::string_view alternative) {
  for (const auto step : steps_in(alternative)) {
    const auto words = split(trimmed(step), ' ');
    ASSERT_GE(words.size(), 2U) << alternative;
    const bool variable = words[0] == "env" || words[0] == "unset";
    EXPECT_TRUE(variable || words[0] == "drop" || words[0] == "set" || words[0] == "add") << step;
    EXPECT_EQ(words.size() > 2, words[0] == "set" || words[0] == "env") << step;
    if (!variable) {
      EXPECT_NE(flags.find(words[1].substr(0, words[1].find('.'))), nullptr) << step;
    }
    for (const auto expression : expressions_in(step)) check_names(flags, expression);
  }
}

void check_row(const EngineFlags& flags, const ConstraintRow& row) {
  check_names(flags, row.when);
  const Rule* rule = rules::find(row.rule);
  ASSERT_NE(rule, nullptr) << row.rule;
  EXPECT_NE(rule->open, nullptr) << row.rule << " speaks for no rows";
  EXPECT_TRUE(row.severity == "error" || row.severity == "warning" || row.severity == "advice");
  EXPECT_FALSE(row.marks.empty());
  for (const auto mark : row.marks) check_mark(flags, row, mark);
  for (const Sentence& sentence : {row.title, row.label, row.because, row.otherwise, row.no_fix})
    check_sentence(flags, sentence);
  EXPECT_FALSE(row.title.empty());
  EXPECT_FALSE(row.because.empty());
  EXPECT_EQ(row.fixes.empty(), !row.no_fix.empty()) << "a fix, or the reason why there is none";
  for (const auto alternative : row.fixes) check_fix(flags, alternative);
  EXPECT_FALSE(row.source.empty());
  EXPECT_TRUE(!row.since || !row.until || *row.since <= *row.until);
}

TEST(ConstraintTables, RowsAreWhole) {
  for (const auto engine : kEnginesWithTables) {
    const Constraints* table = constraints_of(engine);
    const EngineFlags* flags = engine_flags(engine);
    if (table == nullptr || flags == nullptr) continue;
    std::set<std::string_view> ids;
    for (const ConstraintRow& row : table->rows()) {
      SCOPED_TRACE(std::string(engine) + ' ' + std::string(row.id));
      EXPECT_TRUE(ids.insert(row.id).second) << "twice";
      check_row(*flags, row);
    }
  }
}

TEST(ConstraintTables, AreThereForVllm) {
  const Constraints* table = constraints_of("vllm");
  ASSERT_NE(table, nullptr);
  EXPECT_GT(table->rows().size(), 150U);
  EXPECT_FALSE(table->of_rule("flags-contradict").empty());
  EXPECT_TRUE(table->of_rule("no-such-rule").empty());
}

}  // namespace
}  // namespace sx
