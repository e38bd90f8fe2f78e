// Uneven stages: only where they buy room, and never fewer layers than the model has.
#include "plan/stages.h"

#include <gtest/gtest.h>

#include <numeric>

#include "plan/launches.h"
#include "unit/plan/asking.h"

namespace sx {
namespace {

Case launched(const testing::Question& question, int stages) {
  std::vector<int> gpus(static_cast<std::size_t>(stages));
  std::iota(gpus.begin(), gpus.end(), 0);
  auto launch = launch_on(question.bare, {.pipeline = stages}, {}, gpus);
  EXPECT_TRUE(launch.has_value());
  return *launch;
}

Budget budget_of_launch(const Case& launch, const std::vector<int>& partition = {}) {
  Layout layout = *layout_of(launch.serve);
  layout.partition = partition;
  auto budget = find_engine("vllm")->budget(launch, layout);
  EXPECT_TRUE(budget.has_value());
  return *budget;
}

TEST(Stages, OfFiveHoldMoreWhenTheFirstAndLastAreSmaller) {
  const testing::Question question(testing::dense_72b(), testing::machine(5));
  const Case launch = launched(question, 5);
  const Budget usual = budget_of_launch(launch);
  const auto split = better_stages(launch, usual);
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->usual, (std::vector<int>{16, 16, 16, 16, 16}));
  EXPECT_EQ(std::reduce(split->layers.begin(), split->layers.end()), 80);
  EXPECT_LT(split->layers.front(), 16);
  EXPECT_TRUE(worth_it(usual.kv_tokens, budget_of_launch(launch, split->layers).kv_tokens));
}

// No split of five stages within two layers of the one that was found holds more.
TEST(Stages, AreTheBestThereAre) {
  const testing::Question question(testing::dense_72b(), testing::machine(5));
  const Case launch = launched(question, 5);
  const auto split = better_stages(launch, budget_of_launch(launch));
  ASSERT_TRUE(split.has_value());
  const Tokens best = budget_of_launch(launch, split->layers).kv_tokens;
  for (std::size_t from = 0; from < 5; ++from) {
    for (std::size_t to = 0; to < 5; ++to) {
      for (int moved = 1; moved <= 2 && from != to; ++moved) {
        auto other = split->layers;
        other[from] -= moved;
        other[to] += moved;
        EXPECT_LE(budget_of_launch(launch, other).kv_tokens, best)
            << from << " to " << to << ": " << moved;
      }
    }
  }
}

TEST(Stages, StayAsTheyAreWhereLittleIsWon) {
  const testing::Question question(testing::dense_72b(), testing::machine(6));
  const Case launch = launched(question, 6);
  EXPECT_FALSE(better_stages(launch, budget_of_launch(launch)).has_value());
}

TEST(Stages, SayWhatTheyBuy) {
  const StageSplit split{.layers = {15, 16, 17, 17, 15}, .usual = {16, 16, 16, 16, 16}};
  EXPECT_EQ(rendered(stages_note(split, Tokens{100'000}, Tokens{109'000}), Language::English),
            "stages of 15/16/17/17/15 layers instead of 16/16/16/16/16: 9 % more KV cache (109 000 "
            "tokens instead of 100 000)");
  EXPECT_FALSE(worth_it(Tokens{1000}, Tokens{1030}));
  EXPECT_TRUE(worth_it(Tokens{1000}, Tokens{1031}));
}

}  // namespace
}  // namespace sx
