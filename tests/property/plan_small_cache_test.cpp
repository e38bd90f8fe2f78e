// Laws of a KV cache in 8 bits that nobody asked for: only where 16 lack room, surely enough with
// 8, taken by the checker as the text that people paste, and in front of nothing that holds all
// without.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "plan/judge.h"
#include "property/plan_asking.h"

namespace sx {
namespace {

using testing::gathered;
using testing::Machine;
using testing::PlanQuestion;

double all_tokens(const Plan& plan) {
  return static_cast<double>(plan.kv_tokens.count()) * plan.replicas * plan.attention_groups;
}

struct Counts {
  int small = 0, beside = 0, alone = 0;
};

void look_at(const std::string& model, const Machine& machine, int users, Counts& counts) {
  PlanQuestion question(model, machine);
  question.ask.load.users = users;
  question.ask.context =
      std::min(Tokens{32'768}, question.bare().model().max_positions.value_or(Tokens{32'768}));
  const PlanAnswer answer = question.answer();
  const PlanAsk& ask = question.ask;
  const double load = static_cast<double>((ask.load.input + ask.load.output).count()) * users;
  const std::string where = model + " on " + machine.name + ": ";
  for (const Plan& plan : answer.plans) {
    if (!plan.small_cache) continue;
    ++counts.small;
    EXPECT_TRUE(plan.fits && !plan.doubtful) << where << plan.label;
    EXPECT_GE(plan.max_context, ask.context) << where << plan.label;
    EXPECT_NE(plan.commands.front().find("--kv-cache-dtype fp8"), std::string::npos)
        << where << plan.label;
    const auto launch = gathered(machine, {}, plan.commands.front());
    ASSERT_TRUE(launch && launch->cases.size() == 1) << where << plan.commands.front();
    const auto broken = first_broken(launch->cases.front(), "SX");
    EXPECT_FALSE(broken) << where << plan.label << ": " << broken->code;
    const auto whole = std::ranges::find_if(answer.plans, [&plan](const Plan& other) {
      return other.fits && !other.small_cache && other.layout == plan.layout &&
             other.replicas == plan.replicas && other.model == plan.model;
    });
    if (whole == answer.plans.end()) {
      ++counts.alone;
      continue;
    }
    ++counts.beside;
    // Where 16 bits are enough by best estimate only, to be sure is worth it too.
    if (whole->doubtful) continue;
    EXPECT_GE(all_tokens(plan), load) << where << plan.label;
    EXPECT_LT(all_tokens(*whole), all_tokens(plan)) << where << plan.label;
  }
  const bool any_whole = std::ranges::any_of(answer.plans, [load](const Plan& plan) {
    return plan.fits && !plan.doubtful && !plan.small_cache && all_tokens(plan) >= load;
  });
  if (any_whole) EXPECT_FALSE(answer.plans.front().small_cache) << where;
}

TEST(SmallCacheLaws, HoldForModelsThatCrowdTheirCards) {
  Counts counts;
  for (const char* model : {"Qwen/Qwen2.5-72B-Instruct", "Qwen/Qwen3-32B", "google/gemma-3-27b-it",
                            "Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-235B-A22B-FP8"}) {
    for (const char* machine : {"2xL40S", "4xL40S", "2xH100-80GB-HBM3", "2xGeForce-RTX-4090"}) {
      for (const int users : {1, 64, 256}) look_at(model, {machine, ""}, users, counts);
    }
  }
  EXPECT_GE(counts.small, 10);
  EXPECT_GE(counts.beside, 3);
  EXPECT_GE(counts.alone, 3);
  std::cout << counts.small << " with a smaller cache, " << counts.beside << " beside 16 bits, "
            << counts.alone << " alone\n";
}

}  // namespace
}  // namespace sx
