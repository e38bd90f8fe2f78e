// A cause that a rule can see before the launch has the rule's code; the others have their own.
#include "knowledge/causes.h"

#include <gtest/gtest.h>

#include "cli/diagnose_answer.h"
#include "rules/all.h"

namespace sx {
namespace {

TEST(CauseCodes, EachCauseHasExactlyOneCode) {
  for (const CauseRow& row : causes()) {
    const bool has_rule = rules::find(row.name) != nullptr;
    EXPECT_EQ(has_rule, row.code.empty()) << row.name;
    EXPECT_FALSE(code_of_cause(row.name).empty()) << row.name;
  }
}

TEST(CauseCodes, NoRuleHasACodeOfTheLogs) {
  for (const Rule* rule : rules::all()) EXPECT_FALSE(rule->code.starts_with("SX7")) << rule->name;
}

}  // namespace
}  // namespace sx
