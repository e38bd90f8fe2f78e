// Sizes, durations and counts as Kubernetes and systemd write them, and what is none.
#include "gather/manifest_values.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

struct Size {
  const char* text;
  std::optional<std::int64_t> bytes;
};

TEST(ManifestValues, KubernetesQuantities) {
  for (const auto& [text, bytes] :
       {Size{"64Gi", std::int64_t{64} << 30}, Size{"16G", 16'000'000'000},
        Size{"1.5Gi", 1'610'612'736}, Size{"500M", 500'000'000}, Size{"128974848", 128'974'848},
        Size{"1e9", 1'000'000'000}, Size{"", {}}, Size{"64GB", {}}, Size{"-1Gi", {}},
        Size{"Gi", {}}, Size{"1e99", {}}, Size{"99999999999Pi", {}}}) {
    const auto read = kubernetes_size(text);
    EXPECT_EQ(read ? std::optional(read->count()) : std::nullopt, bytes) << text;
  }
}

TEST(ManifestValues, SystemdSizes) {
  EXPECT_EQ(systemd_size("200G"), gib(200));
  EXPECT_EQ(systemd_size("64M"), mib(64));
  EXPECT_EQ(systemd_size("infinity"), kUnlimited);
  EXPECT_EQ(systemd_size("80%"), std::nullopt);
}

TEST(ManifestValues, Durations) {
  EXPECT_EQ(seconds_of("90", true), 90);
  EXPECT_EQ(seconds_of("90", false), std::nullopt);
  EXPECT_EQ(seconds_of("5min 20s", true), 320);
  EXPECT_EQ(seconds_of("1m30s", false), 90);
  EXPECT_EQ(seconds_of("2h", false), 7200);
  EXPECT_EQ(seconds_of("infinity", true), std::nullopt);
  EXPECT_EQ(seconds_of("", true), std::nullopt);
  EXPECT_EQ(seconds_of("s", true), std::nullopt);
}

TEST(ManifestValues, Processors) {
  EXPECT_EQ(kubernetes_cpus("8"), 8);
  EXPECT_EQ(kubernetes_cpus("500m"), 0.5);
  EXPECT_EQ(kubernetes_cpus("many"), std::nullopt);
}

}  // namespace
}  // namespace sx
