// The best GPUs by their links: every recorded machine, against trying all sets, and within a time.
#include "fit/links.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "base/strings.h"
#include "read/machine_text.h"

namespace sx {
namespace {

std::string file_text(const std::string& name) {
  std::ifstream file(std::string(SEXTANT_SOURCE_DIR) + "/tests/cases/topology/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

HostSpec host_with(const std::vector<std::vector<std::string>>& classes,
                   const std::vector<std::string>& nodes) {
  HostSpec host;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    Gpu gpu;
    gpu.index = static_cast<int>(i);
    gpu.numa_affinity = nodes[i];
    host.gpus.push_back(gpu);
  }
  host.links.classes = classes;
  return host;
}

HostSpec recorded(const std::string& name) {
  Sources sources;
  const auto text =
      parse_machine_text(sources, sources.add({.name = name, .text = file_text(name)}));
  EXPECT_TRUE(text) << name;
  HostSpec host = host_with(text->topology.classes, text->topology.numa_affinity);
  for (std::size_t i = 0; i < host.gpus.size(); ++i)
    host.gpus[i].cpu_affinity = text->topology.cpu_affinity[i];
  return host;
}

TEST(Links, EveryRecordedMachineGivesItsBestSets) {
  int seen = 0;
  const std::string table = file_text("expected_sets.tsv");
  for (const std::string_view line : lines_of(table)) {
    const auto cells = split(line, '\t');
    if (cells[0] == "file") continue;
    const std::string name(cells[0]);
    const int k = static_cast<int>(to_integer(cells[1]).value());
    const auto best = best_gpus(recorded(name), k);
    ASSERT_TRUE(best) << name << " k=" << k;
    EXPECT_EQ(join(best->gpus, ","), cells[2]) << name << " k=" << k;
    EXPECT_EQ(best->ties, to_integer(cells[3]).value()) << name << " k=" << k;
    EXPECT_EQ(best->weakest, cells[4]) << name << " k=" << k;
    ++seen;
  }
  EXPECT_EQ(seen, 125);
}

struct Tried {
  std::tuple<int, long long, int> key;
  std::vector<int> gpus;
  std::int64_t ties = 0;
};

// All sets, one after another.
Tried by_trying(const HostSpec& host, int k) {
  Tried best;
  const int count = static_cast<int>(host.gpus.size());
  for (unsigned mask = 0; mask < (1U << count); ++mask) {
    std::vector<int> gpus;
    for (int i = 0; i < count; ++i) {
      if ((mask >> i & 1U) != 0) gpus.push_back(i);
    }
    if (static_cast<int>(gpus.size()) != k) continue;
    int weakest = INT32_MAX;
    long long sum = 0;
    std::set<std::string> nodes;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      nodes.insert(host.gpus[static_cast<std::size_t>(gpus[i])].numa_affinity);
      for (std::size_t j = i + 1; j < gpus.size(); ++j) {
        const auto& cell =
            host.links
                .classes[static_cast<std::size_t>(gpus[i])][static_cast<std::size_t>(gpus[j])];
        const int strength = link_strength(cell).value_or(0);
        weakest = std::min(weakest, strength);
        sum += strength;
      }
    }
    const std::tuple key{weakest, sum, -static_cast<int>(nodes.size())};
    if (best.ties == 0 || key > best.key) best = {key, gpus, 0};
    if (key != best.key) continue;
    ++best.ties;
    best.gpus = std::min(best.gpus, gpus);
  }
  return best;
}

TEST(Links, RandomMachinesAgreeWithTryingAllSets) {
  std::mt19937 random(7);
  const std::vector<std::string> words{"NV1", "NV2", "NV4", "PIX", "PHB", "NODE", "SYS", ""};
  for (int round = 0; round < 60; ++round) {
    const std::size_t count = 1 + random() % 8;
    const std::size_t kinds = 1 + random() % words.size();
    std::vector<std::vector<std::string>> classes(count, std::vector<std::string>(count, "X"));
    std::vector<std::string> nodes;
    for (std::size_t a = 0; a < count; ++a) {
      nodes.push_back(std::to_string(random() % 3));
      for (std::size_t b = 0; b < a; ++b) classes[a][b] = classes[b][a] = words[random() % kinds];
    }
    const HostSpec host = host_with(classes, nodes);
    for (int k = 1; k <= static_cast<int>(count); ++k) {
      const Tried tried = by_trying(host, k);
      const auto best = best_gpus(host, k);
      ASSERT_TRUE(best);
      EXPECT_EQ(best->gpus, tried.gpus);
      EXPECT_EQ(best->ties, tried.ties);
      EXPECT_EQ(best->sum, std::get<1>(tried.key));
      EXPECT_EQ(best->numa_nodes, -std::get<2>(tried.key));
    }
  }
}

TEST(Links, OneGpuHasNoWeakestPair) {
  const auto best = best_gpus(host_with({{"X", "SYS"}, {"SYS", "X"}}, {"0", "1"}), 1);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->gpus, std::vector<int>{0});
  EXPECT_EQ(best->weakest, "X");
  EXPECT_EQ(best->ties, 2);
}

TEST(Links, WhatCannotBePickedIsNotPicked) {
  const HostSpec host = host_with({{"X", "SYS"}, {"SYS", "X"}}, {"0", "1"});
  EXPECT_FALSE(best_gpus(host, 3));
  EXPECT_FALSE(best_gpus(host, 0));
  EXPECT_FALSE(best_gpus(host, 2, {0, 7}));
  EXPECT_FALSE(best_gpus(HostSpec{}, 1));
  EXPECT_FALSE(judge_gpus(host, {}));
  HostSpec uneven = host;
  uneven.links.classes[1].pop_back();
  EXPECT_FALSE(best_gpus(uneven, 2));
}

TEST(Links, OnlyTheAskedGpusAreChosenFrom) {
  const HostSpec host = recorded("17_h100_pcie_8x_irregular_bridges.txt");
  const auto best = best_gpus(host, 2, {0, 5, 3});
  ASSERT_TRUE(best);
  EXPECT_EQ(best->gpus, (std::vector<int>{0, 5}));
  const auto judged = judge_gpus(host, {0, 1});
  ASSERT_TRUE(judged);
  EXPECT_NE(judged->weakest, "NV12");
}

TEST(Links, ClassesHaveTheirStrength) {
  EXPECT_EQ(link_strength("NV12"), 1120);
  EXPECT_EQ(link_strength("PIX"), 50);
  EXPECT_EQ(link_strength("SOC"), link_strength("SYS"));
  EXPECT_FALSE(link_strength("NV"));
  EXPECT_FALSE(link_strength("NVx"));
  EXPECT_FALSE(link_strength("X"));
  EXPECT_FALSE(link_strength(""));
}

TEST(Links, SixtyFourEqualGpusAreCountedNotTried) {
  std::vector<std::vector<std::string>> classes(64, std::vector<std::string>(64, "NV18"));
  for (std::size_t i = 0; i < 64; ++i) classes[i][i] = "X";
  const auto begin = std::chrono::steady_clock::now();
  const auto best = best_gpus(host_with(classes, std::vector<std::string>(64, "0")), 32);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  ASSERT_TRUE(best);
  EXPECT_EQ(best->gpus.front(), 0);
  EXPECT_EQ(best->gpus.back(), 31);
  EXPECT_EQ(best->ties, 1832624140942590534);
}

TEST(Links, SixtyFourUnequalGpusEndInTime) {
  std::mt19937 random(3);
  const std::vector<std::string> words{"PIX", "PXB", "PHB", "NODE", "SYS", "NV1", "NV2"};
  std::vector<std::vector<std::string>> classes(64, std::vector<std::string>(64, "X"));
  for (std::size_t a = 0; a < 64; ++a) {
    for (std::size_t b = 0; b < a; ++b)
      classes[a][b] = classes[b][a] = words[random() % words.size()];
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto best = best_gpus(host_with(classes, std::vector<std::string>(64, "0")), 8);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  ASSERT_TRUE(best);
  EXPECT_EQ(best->gpus.size(), 8U);
}

}  // namespace
}  // namespace sx
