// The speed of a card that was asked about before is known: by all that it hangs on.
#include "fit/card_speed.h"

#include <gtest/gtest.h>

#include "unit/fit/speed_machines.h"

namespace sx {
namespace {

// As drivers cut it: its memory says which one it is.
double bandwidth_of_cut_name(Bytes memory) {
  Gpu gpu;
  gpu.name = {"NVIDIA A100-SXM4-...", Origin::Device};
  gpu.memory = {memory, Origin::Device};
  const auto speed = card_speed(gpu, 2);
  return speed ? speed->memory : 0;
}

TEST(CardSpeed, IsThatOfTheCardWithThisMemory) {
  const double small = bandwidth_of_cut_name(mib(40960)), large = bandwidth_of_cut_name(mib(81920));
  EXPECT_GT(small, 0);
  EXPECT_GT(large, small);
  EXPECT_EQ(bandwidth_of_cut_name(mib(40960)), small);
}

TEST(CardSpeed, IsThatOfItsNameAndOfTheCacheThatItReads) {
  const Gpu h100 = testing::gpu_named("NVIDIA H100 80GB HBM3"),
            h200 = testing::gpu_named("NVIDIA H200");
  for (const Gpu* gpu : {&h100, &h200, &h100}) {
    const auto whole = card_speed(*gpu, 2), small = card_speed(*gpu, 1);
    ASSERT_TRUE(whole && small);
    EXPECT_EQ(whole->kind->name, gpu->name.value());
    EXPECT_EQ(whole->attention, attention_law(whole->card.family, "bf16"));
    EXPECT_EQ(small->attention, attention_law(whole->card.family, "fp8"));
    EXPECT_NE(whole->attention, small->attention);
  }
}

TEST(CardSpeed, OfWhatIsNotKnownNothingIsSaid) {
  ASSERT_TRUE(card_speed(testing::gpu_named("NVIDIA H200"), 2));
  EXPECT_FALSE(card_speed(Gpu{}, 2));
  EXPECT_FALSE(card_speed(testing::gpu_named("NVIDIA Nothing 9"), 2));
}

}  // namespace
}  // namespace sx
