// Drivers that a CUDA needs, and what an all-reduce over PCIe costs.
#include <gtest/gtest.h>

#include "knowledge/drivers.h"
#include "knowledge/link_laws.h"
#include "knowledge/traits.h"
#include "knowledge/xids.h"

namespace sx {
namespace {

TEST(Drivers, TheOldestOneGoesByTheMajorVersion) {
  EXPECT_EQ(oldest_driver("12.4"), oldest_driver("12.9"));
  EXPECT_EQ(oldest_driver("13.0"), "580.65.06");
  EXPECT_EQ(oldest_driver("99.0"), std::nullopt);
  EXPECT_EQ(oldest_driver(""), std::nullopt);
}

TEST(Drivers, VersionsAreComparedAsNumbers) {
  EXPECT_EQ(driver_before("535.161.07", "570.26"), true);
  EXPECT_EQ(driver_before("580.65.06", "580.65.06"), false);
  EXPECT_EQ(driver_before("1000.1", "580.65.06"), false);
  EXPECT_EQ(driver_before("unknown", "580.65.06"), std::nullopt);
}

TEST(Drivers, EveryWheelNamesACudaThatIsKnown) {
  for (const char* version : {"0.6.6.post1", "0.9.2", "0.12.0", "0.20.2", "0.33.0"}) {
    const auto cuda = trait("vllm", "wheel-cuda", *parse_version(version));
    ASSERT_TRUE(cuda) << version;
    EXPECT_TRUE(oldest_driver(*cuda)) << version;
  }
}

TEST(Collectives, LargerMessagesAndMoreRanksTakeLonger) {
  for (const char* link : {"pcie-host", "pcie-peer"}) {
    double before = 0;
    for (const Bytes message : {kib(8), kib(64), mib(1), mib(16)}) {
      const auto us = pcie_all_reduce_us(link, 4, message);
      ASSERT_TRUE(us);
      EXPECT_GT(*us, before);
      before = *us;
    }
    EXPECT_LT(*pcie_all_reduce_us(link, 2, mib(1)), *pcie_all_reduce_us(link, 8, mib(1)));
  }
  EXPECT_FALSE(pcie_all_reduce_us("pcie-host", 1, mib(1)));
  EXPECT_FALSE(pcie_all_reduce_us("nvlink", 4, mib(1)));
}

// Measured: 346 and 88 microseconds for 1 MiB over four cards.
TEST(Collectives, TheLawMeetsWhatWasMeasured) {
  EXPECT_NEAR(*pcie_all_reduce_us("pcie-host", 4, mib(1)), 346, 120);
  EXPECT_NEAR(*pcie_all_reduce_us("pcie-peer", 4, mib(1)), 88, 20);
}

TEST(Xids, FaultsOfTheMachineHaveBothLanguages) {
  for (const int xid : {48, 62, 74, 79, 95, 119, 120, 149}) {
    const XidRow* row = find_xid(xid);
    ASSERT_NE(row, nullptr);
    EXPECT_FALSE(row->meaning_chinese.empty()) << xid;
    EXPECT_TRUE(row->machine_fault) << xid;
  }
  EXPECT_FALSE(find_xid(31)->machine_fault);
}

}  // namespace
}  // namespace sx
