// CUDA_VISIBLE_DEVICES as CUDA reads it.
#include "facts/visible_devices.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

HostSpec host_of(int count, const char* second_kind = "A") {
  HostSpec host;
  host.gpu_count = Fact<int>(count, Origin::Device);
  for (int i = 0; i < count; ++i) {
    Gpu gpu;
    gpu.index = i;
    gpu.name = Fact<std::string>(i == 0 ? "A" : second_kind, Origin::Device);
    gpu.uuid = "GPU-" + std::to_string(i / 2) + "aa" + std::to_string(i) + "-bb";
    host.gpus.push_back(gpu);
  }
  return host;
}

VisibleDevices seen(const char* mask, int count = 8) {
  ServeSpec serve;
  serve.visible_devices = Fact<std::string>(mask, Origin::Environment);
  return visible_devices(serve, host_of(count));
}

using List = std::vector<int>;

struct Mask {
  const char* text;
  List gpus;
};

class Masks : public testing::TestWithParam<Mask> {};

TEST_P(Masks, ShowTheseGpus) {
  const auto all = seen(GetParam().text);
  EXPECT_TRUE(all.known);
  EXPECT_TRUE(all.masked);
  EXPECT_EQ(all.gpus, GetParam().gpus) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(All, Masks,
                         testing::Values(Mask{"0,1", {0, 1}}, Mask{"3,1,2", {3, 1, 2}},
                                         Mask{" 2 , 5 ", {2, 5}}, Mask{"", {}}, Mask{"  ", {}},
                                         Mask{"-1", {}}, Mask{"0,-1,2", {0}}, Mask{"0,8,1", {0}},
                                         Mask{"0,x,1", {0}}, Mask{"0,,1", {0}}, Mask{"0,1,0", {}},
                                         Mask{"NoDevFiles", {}}, Mask{"GPU-0aa1", {1}},
                                         Mask{"GPU-0aa", {}}, Mask{"GPU-0AA1,GPU-1aa3-bb", {1, 3}},
                                         Mask{"GPU-0aa1,2", {1}}, Mask{"0,GPU-0aa1", {0}},
                                         Mask{"GPU-0aa1,GPU-0aa1-bb", {}}, Mask{"all", {}}));

TEST(VisibleDevices, SayWhatIsWrongWithTheMask) {
  EXPECT_EQ(seen("0,1,0,1").repeated, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(seen("0,9,1").out_of_range, (std::vector<std::string>{"9"}));
  EXPECT_EQ(seen("GPU-77").out_of_range, (std::vector<std::string>{"GPU-77"}));
  EXPECT_TRUE(seen("0,-1").negative);
  EXPECT_TRUE(seen("GPU-0aa1").by_uuid);
  EXPECT_EQ(seen("0, 1").entries, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(seen("99999999999999999999").out_of_range.size(), 1U);
}

TEST(VisibleDevices, WithoutAMaskAllAreSeen) {
  const auto all = visible_devices(ServeSpec{}, host_of(3));
  EXPECT_TRUE(all.known);
  EXPECT_FALSE(all.masked);
  EXPECT_EQ(all.gpus, (List{0, 1, 2}));
  EXPECT_FALSE(all.order_unsure);
}

TEST(VisibleDevices, NotKnownWhereTheHostOrTheMaskIsNot) {
  EXPECT_FALSE(visible_devices(ServeSpec{}, HostSpec{}).known);
  ServeSpec serve;
  serve.visible_devices = Fact<std::string>::unknown(Text{"set elsewhere", "在别处设置"});
  EXPECT_FALSE(visible_devices(serve, host_of(2)).known);
  EXPECT_TRUE(visible_devices(serve, host_of(2)).masked);
  EXPECT_FALSE(seen("MIG-123").known);
  serve.visible_devices = Fact<std::string>("GPU-0aa1", Origin::Environment);
  HostSpec named = host_of(2);
  for (Gpu& gpu : named.gpus) gpu.uuid.clear();
  EXPECT_FALSE(visible_devices(serve, named).known);
}

TEST(VisibleDevices, UnlikeCardsStandInAnUnsureOrder) {
  ServeSpec serve;
  EXPECT_TRUE(visible_devices(serve, host_of(2, "B")).order_unsure);
  serve.device_order = Fact<std::string>("PCI_BUS_ID", Origin::Environment);
  EXPECT_FALSE(visible_devices(serve, host_of(2, "B")).order_unsure);
}

TEST(VisibleDevices, AMaskWithoutEndIsCut) {
  std::string mask;
  for (int i = 0; i < 100'000; ++i) mask += "0,";
  EXPECT_LE(seen(mask.c_str()).entries.size(), 1024U);
}

}  // namespace
}  // namespace sx
