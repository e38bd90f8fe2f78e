// Lines that sum to the capacity.
#include "fit/budget.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

GpuBudget card(std::vector<BudgetLine> lines) {
  GpuBudget gpu;
  gpu.capacity = gib(40);
  gpu.lines = std::move(lines);
  return balanced(std::move(gpu));
}

TEST(BudgetLines, TheCacheIsWhatTheOthersLeave) {
  const GpuBudget gpu =
      card({{.name = "weights", .bytes = gib(20), .low = gib(19), .high = gib(22)},
            {.name = "unused", .bytes = gib(4), .low = gib(4), .high = gib(4)}});
  EXPECT_EQ(gpu.room, gib(16));
  EXPECT_EQ(gpu.room_low, gib(14));
  EXPECT_EQ(gpu.room_high, gib(17));
  EXPECT_EQ(gpu.kv_bytes, gib(16));
  ASSERT_NE(gpu.line("kv_cache"), nullptr);
  EXPECT_EQ(gpu.line("kv_cache")->bytes, gib(16));
  EXPECT_EQ(gpu.line("nothing"), nullptr);
}

TEST(BudgetLines, WhatIsMissingIsNegativeRoom) {
  const GpuBudget gpu =
      card({{.name = "weights", .bytes = gib(50), .low = gib(39), .high = gib(51)}});
  EXPECT_EQ(gpu.room, gib(-10));
  EXPECT_EQ(gpu.kv_bytes, Bytes{0});
  EXPECT_EQ(gpu.line("kv_cache")->bytes, Bytes{0});
  EXPECT_EQ(gpu.line("kv_cache")->high, gib(1));
}

TEST(BudgetLines, TheTightestHasLeastRoom) {
  Budget budget;
  budget.gpus = {card({{.name = "weights", .bytes = gib(20)}}),
                 card({{.name = "weights", .bytes = gib(30)}})};
  EXPECT_EQ(budget.tightest().room, gib(10));
}

}  // namespace
}  // namespace sx
