// Rows that hold for a range of versions.
#include "knowledge/traits.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(Traits, HoldFromTheirFirstToTheirLastVersion) {
  EXPECT_EQ(trait("vllm", "visible-devices-uuid", {0, 6, 6}), "refused");
  EXPECT_EQ(trait("vllm", "visible-devices-uuid", {0, 23, 0}), "refused");
  EXPECT_EQ(trait("vllm", "visible-devices-uuid", {0, 24, 0}), std::nullopt)
      << "between two versions that are known";
  EXPECT_EQ(trait("vllm", "visible-devices-uuid", {0, 33, 0}), "full");
  EXPECT_EQ(trait("vllm", "at most --gpu-memory-utilization", {0, 8, 5}), "1");
  EXPECT_EQ(trait("vllm", "above --gpu-memory-utilization", {0, 8, 5}), std::nullopt);
}

TEST(Traits, OfNoSuchNameOrEngineAreNotKnown) {
  EXPECT_EQ(trait("vllm", "no-such-trait", {0, 33, 0}), std::nullopt);
  EXPECT_EQ(trait("no-such-engine", "visible-devices-uuid", {0, 33, 0}), std::nullopt);
}

}  // namespace
}  // namespace sx
