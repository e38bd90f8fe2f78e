// Tensor groups by their links: the order of a machine with odd bridges, and every small machine
// against trying all orders.
#include "fit/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "fit/links.h"

namespace sx {
namespace {

using Groups = std::vector<std::vector<int>>;

HostSpec host_with(const std::vector<std::vector<std::string>>& classes) {
  HostSpec host;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    Gpu gpu;
    gpu.index = static_cast<int>(i);
    host.gpus.push_back(gpu);
  }
  host.links.classes = classes;
  return host;
}

std::vector<int> all_of(const HostSpec& host) {
  std::vector<int> gpus(host.gpus.size());
  std::iota(gpus.begin(), gpus.end(), 0);
  return gpus;
}

// Bridges 0-3 and 1-2 on one node.
HostSpec crossed() {
  return host_with({{"X", "PHB", "PHB", "NV4"},
                    {"PHB", "X", "NV4", "PHB"},
                    {"PHB", "NV4", "X", "PHB"},
                    {"NV4", "PHB", "PHB", "X"}});
}

TEST(Groups, FollowTheBridges) {
  EXPECT_EQ(best_groups(crossed(), 2, 2, {0, 1, 2, 3}), (Groups{{0, 3}, {1, 2}}));
  EXPECT_EQ(best_groups(crossed(), 1, 2, {0, 1, 2}), (Groups{{1, 2}}));
  EXPECT_EQ(best_groups(crossed(), 1, 4, {0, 1, 2, 3}), (Groups{{0, 1, 2, 3}}));
}

TEST(Groups, AskForEnoughGpusAndKnownLinks) {
  EXPECT_EQ(best_groups(crossed(), 3, 2, {0, 1, 2, 3}), std::nullopt);
  EXPECT_EQ(best_groups(crossed(), 0, 2, {0, 1, 2, 3}), std::nullopt);
  EXPECT_EQ(best_groups(HostSpec{}, 1, 2, {0, 1}), std::nullopt);
}

// The best pair first would leave a pair without any bridge.
TEST(Groups, TheWeakestGroupCountsFirst) {
  const HostSpec host = host_with({{"X", "NV4", "PIX", "SYS"},
                                   {"NV4", "X", "SYS", "PIX"},
                                   {"PIX", "SYS", "X", "SYS"},
                                   {"SYS", "PIX", "SYS", "X"}});
  EXPECT_EQ(best_groups(host, 2, 2, {0, 1, 2, 3}), (Groups{{0, 2}, {1, 3}}));
}

int weakest(const HostSpec& host, const Groups& groups) {
  int least = INT32_MAX;
  for (const auto& group : groups)
    least = std::min(least, link_strength(judge_gpus(host, group)->weakest).value_or(0));
  return least;
}

TEST(Groups, NoOrderHasAStrongerWeakestLink) {
  std::mt19937 random(7);
  const std::vector<std::string> kinds{"NV4", "NV12", "PIX", "PHB", "NODE", "SYS"};
  for (int round = 0; round < 40; ++round) {
    std::vector<std::vector<std::string>> classes(6, std::vector<std::string>(6, "X"));
    for (std::size_t a = 0; a < 6; ++a) {
      for (std::size_t b = a + 1; b < 6; ++b)
        classes[a][b] = classes[b][a] = kinds[random() % kinds.size()];
    }
    const HostSpec host = host_with(classes);
    for (const int size : {2, 3}) {
      const int count = 6 / size;
      const auto best = best_groups(host, count, size, all_of(host));
      ASSERT_TRUE(best);
      std::vector<int> order = all_of(host);
      do {
        Groups groups;
        for (int i = 0; i < count; ++i)
          groups.emplace_back(order.begin() + i * size, order.begin() + (i + 1) * size);
        ASSERT_LE(weakest(host, groups), weakest(host, *best));
      } while (std::ranges::next_permutation(order).found);
    }
  }
}

}  // namespace
}  // namespace sx
