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

// Kinds of links in order of their strength.
const std::vector<std::string> kKinds{"SYS", "NODE", "PHB", "PIX", "NV4", "NV12"};

using Matrix = std::vector<std::vector<std::size_t>>;  // numbers of kinds

std::size_t weakest(const Matrix& kinds, const std::vector<int>& order, int size) {
  std::size_t least = kKinds.size();
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const auto group = static_cast<std::size_t>(size);
      if (i / group != j / group) continue;
      least = std::min(
          least, kinds[static_cast<std::size_t>(order[i])][static_cast<std::size_t>(order[j])]);
    }
  }
  return least;
}

std::vector<int> flat(const Groups& groups) {
  std::vector<int> order;
  for (const auto& group : groups) order.insert(order.end(), group.begin(), group.end());
  return order;
}

TEST(Groups, NoOrderHasAStrongerWeakestLink) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    Matrix kinds(6, std::vector<std::size_t>(6, 0));
    std::vector<std::vector<std::string>> classes(6, std::vector<std::string>(6, "X"));
    for (std::size_t a = 0; a < 6; ++a) {
      for (std::size_t b = a + 1; b < 6; ++b) {
        kinds[a][b] = kinds[b][a] = random() % kKinds.size();
        classes[a][b] = classes[b][a] = kKinds[kinds[a][b]];
      }
    }
    const HostSpec host = host_with(classes);
    for (const int size : {2, 3}) {
      const auto best = best_groups(host, 6 / size, size, all_of(host));
      ASSERT_TRUE(best);
      const std::size_t reached = weakest(kinds, flat(*best), size);
      std::vector<int> order = all_of(host);
      do {
        ASSERT_LE(weakest(kinds, order, size), reached);
      } while (std::ranges::next_permutation(order).found);
    }
  }
}

}  // namespace
}  // namespace sx
