// Which GPUs a layout takes: by links, by kind of card, and none twice.
#include "plan/placement.h"

#include <gtest/gtest.h>

#include <set>

#include "unit/plan/asking.h"

namespace sx {
namespace {

using Groups = std::vector<std::vector<int>>;

// Bridges 0-3, 1-2, 4-5.
HostSpec bridged() {
  HostSpec host = testing::machine(6);
  host.links.classes.assign(6, std::vector<std::string>(6, "PHB"));
  const auto link = [&host](std::size_t a, std::size_t b) {
    host.links.classes[a][b] = host.links.classes[b][a] = "NV4";
  };
  for (std::size_t i = 0; i < 6; ++i) host.links.classes[i][i] = "X";
  link(0, 3);
  link(1, 2);
  link(4, 5);
  return host;
}

TEST(Placement, FollowsTheBridges) {
  const HostSpec host = bridged();
  Placer placer(host);
  EXPECT_EQ(placer.place({{.tensor = 2, .pipeline = 3}, 1}).groups,
            (Groups{{0, 3}, {1, 2}, {4, 5}}));
  EXPECT_EQ(placer.place({{.tensor = 2}, 3}).groups, (Groups{{0, 3}, {1, 2}, {4, 5}}));
  const Placement& pair = placer.place({{.tensor = 2}, 1});
  EXPECT_EQ(pair.groups, (Groups{{0, 3}}));
  EXPECT_EQ(pair.idle, (std::vector<int>{1, 2, 4, 5}));
}

TEST(Placement, TellsTheGpusOfOneLaunch) {
  const HostSpec host = bridged();
  Placer placer(host);
  const LaunchShape shape{.tensor = 2};
  const Placement& placed = placer.place({shape, 3});
  EXPECT_EQ(placed.of(shape, 1), (std::vector<int>{1, 2}));
  const LaunchShape stages{.tensor = 2, .pipeline = 3};
  EXPECT_EQ(placer.place({stages, 1}).of(stages, 0), (std::vector<int>{0, 3, 1, 2, 4, 5}));
}

TEST(Placement, TakesGroupsOfOneKindOfCard) {
  HostSpec host = testing::machine(2);
  for (int i = 2; i < 4; ++i)
    host.gpus.push_back(testing::card(i, "NVIDIA H100 80GB HBM3", mib(81089)));
  host.gpu_count = testing::number(4);
  Placer placer(host);
  EXPECT_EQ(placer.place({{.tensor = 2}, 1}).groups, (Groups{{2, 3}}));  // the larger cards
  EXPECT_EQ(placer.place({{.tensor = 2}, 2}).groups, (Groups{{2, 3}, {0, 1}}));
  EXPECT_EQ(placer.place({{.tensor = 2, .pipeline = 2}, 1}).groups, (Groups{{2, 3}, {0, 1}}));
  EXPECT_EQ(placer.place({{.tensor = 4}, 1}).groups, (Groups{{0, 1, 2, 3}}));
}

TEST(Placement, NeverTakesAGpuTwice) {
  for (const HostSpec& host : {testing::machine(8), bridged()}) {
    Placer placer(host);
    const int count = static_cast<int>(host.gpus.size());
    const LaunchKinds kinds{.ranks = true, .experts = true, .stages = true};
    for (const Candidate& candidate : candidates(testing::dense_72b(), kinds, count)) {
      const Placement& placed = placer.place(candidate);
      std::multiset<int> all(placed.idle.begin(), placed.idle.end());
      for (const auto& group : placed.groups) all.insert(group.begin(), group.end());
      EXPECT_EQ(all.size(), host.gpus.size());
      EXPECT_EQ(std::set<int>(all.begin(), all.end()).size(), host.gpus.size());
    }
  }
}

TEST(Placement, TellsLaunchesApartThatDifferInMemoryOrLinks) {
  const HostSpec host = bridged();
  const Placer placer(host);
  EXPECT_EQ(placer.likeness({0, 3}, 2), placer.likeness({4, 5}, 2));
  EXPECT_NE(placer.likeness({0, 3}, 2), placer.likeness({0, 1}, 2));
  HostSpec mixed = testing::machine(2);
  mixed.gpus[1].used = {gib(8), Origin::Flag};
  const Placer other(mixed);
  EXPECT_NE(other.likeness({0}, 1), other.likeness({1}, 1));
}

}  // namespace
}  // namespace sx
