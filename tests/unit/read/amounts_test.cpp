// Sizes and durations as Docker, Kubernetes, systemd and the shell write them, and what is none.
#include "read/amounts.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

struct Size {
  const char* text;
  std::optional<std::int64_t> bytes;
};

std::optional<std::int64_t> count(const std::optional<Bytes>& bytes) {
  return bytes ? std::optional(bytes->count()) : std::nullopt;
}

TEST(Amounts, SizesOfContainers) {
  for (const auto& [text, bytes] :
       {Size{"16g", std::int64_t{16} << 30}, Size{"64MiB", 64 << 20}, Size{"1.5gb", 1'610'612'736},
        Size{"1024", 1024}, Size{"1024b", 1024}, Size{" 2 GB ", std::int64_t{2} << 30},
        Size{"", {}}, Size{"g", {}}, Size{"-1g", {}}, Size{"16x", {}}, Size{"16gg", {}},
        Size{"1.2.3g", {}}, Size{"1e5", {}}, Size{"99999999999p", {}}}) {
    EXPECT_EQ(count(container_size(text)), bytes) << text;
  }
}

TEST(Amounts, KubernetesQuantities) {
  for (const auto& [text, bytes] :
       {Size{"64Gi", std::int64_t{64} << 30}, Size{"16G", 16'000'000'000},
        Size{"1.5Gi", 1'610'612'736}, Size{"500M", 500'000'000}, Size{"128974848", 128'974'848},
        Size{"1e9", 1'000'000'000}, Size{"", {}}, Size{"64GB", {}}, Size{"-1Gi", {}},
        Size{"Gi", {}}, Size{"1e99", {}}, Size{"99999999999Pi", {}}}) {
    EXPECT_EQ(count(kubernetes_size(text)), bytes) << text;
  }
}

TEST(Amounts, SystemdSizes) {
  EXPECT_EQ(systemd_size("200G"), gib(200));
  EXPECT_EQ(systemd_size("64M"), mib(64));
  EXPECT_EQ(systemd_size("infinity"), kUnlimited);
  EXPECT_EQ(systemd_size("80%"), std::nullopt);
  EXPECT_EQ(systemd_size("64g"), std::nullopt);
}

TEST(Amounts, DurationsOfSystemd) {
  EXPECT_EQ(systemd_duration_s("90"), 90);
  EXPECT_EQ(systemd_duration_s("5min 20s"), 320);
  EXPECT_EQ(systemd_duration_s("1m30s"), 90);
  EXPECT_EQ(systemd_duration_s("2 h"), 7200);
  for (const char* bad : {"infinity", "", "s", "1..2s", "5 parsecs"})
    EXPECT_EQ(systemd_duration_s(bad), std::nullopt) << bad;
}

TEST(Amounts, DurationsOfContainersAlwaysHaveAUnit) {
  EXPECT_EQ(container_duration_s("1m30s"), 90);
  EXPECT_EQ(container_duration_s("1.5h"), 5400);
  EXPECT_EQ(container_duration_s("500ms"), 0.5);
  EXPECT_EQ(container_duration_s("0"), 0);
  for (const char* bad : {"", "90", "1m 30s", "5min", "-1s", "2d"})
    EXPECT_EQ(container_duration_s(bad), std::nullopt) << bad;
}

TEST(Amounts, DurationsOfTheShellAreOneNumber) {
  EXPECT_EQ(shell_duration_s("30"), 30);
  EXPECT_EQ(shell_duration_s("1.5m"), 90);
  EXPECT_EQ(shell_duration_s("2h"), 7200);
  EXPECT_EQ(shell_duration_s("1d"), 86400);
  for (const char* bad : {"", "x", "5x", "-3", "inf", "nan", "5 s", "1m30s"})
    EXPECT_FALSE(shell_duration_s(bad)) << bad;
}

TEST(Amounts, Processors) {
  EXPECT_EQ(kubernetes_cpus("8"), 8);
  EXPECT_EQ(kubernetes_cpus("500m"), 0.5);
  EXPECT_EQ(kubernetes_cpus("many"), std::nullopt);
  EXPECT_EQ(kubernetes_cpus("nan"), std::nullopt);
}

}  // namespace
}  // namespace sx
