// All sizes, each once, and their names.
#include "plan/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "unit/plan/asking.h"

namespace sx {
namespace {

constexpr LaunchKinds kAll{.ranks = true, .experts = true, .stages = true};

ModelSpec experts() {
  ModelSpec model = testing::dense_72b();
  model.experts = testing::number(64);
  return model;
}

TEST(Candidates, OfADenseModelAreAllProductsUpToTheGpus) {
  const auto all = candidates(testing::dense_72b(), kAll, 6);
  EXPECT_EQ(all.size(), 25U);  // sum of the triples whose product is 1 … 6
  std::set<std::tuple<int, int, int>> seen;
  for (const Candidate& c : all) {
    EXPECT_LE(c.gpus(), 6);
    EXPECT_FALSE(c.shape.expert);
    EXPECT_EQ(c.shape.ranks, 1);
    EXPECT_TRUE(seen.emplace(c.shape.tensor, c.shape.pipeline, c.replicas).second);
  }
}

TEST(Candidates, WithExpertsSharedOutBothWays) {
  int whole = 0, cut = 0, ranks = 0;
  for (const Candidate& c : candidates(experts(), kAll, 4)) {
    whole += c.shape.expert ? 1 : 0;
    cut += c.shape.expert ? 0 : 1;
    ranks += c.shape.ranks > 1 ? 1 : 0;
    EXPECT_TRUE(c.shape.ranks == 1 || c.replicas == 1);
  }
  EXPECT_GT(whole, 0);
  EXPECT_GT(cut, whole);
  EXPECT_GT(ranks, 0);
}

TEST(Candidates, OfAnEngineWithoutStagesHaveNone) {
  const LaunchKinds kinds{.ranks = false, .experts = false, .stages = false};
  for (const Candidate& c : candidates(experts(), kinds, 8)) {
    EXPECT_EQ(c.shape.pipeline, 1);
    EXPECT_FALSE(c.shape.expert);
  }
}

TEST(Candidates, AreBounded) {
  for (const Candidate& c : candidates(testing::dense_72b(), kAll, 10'000))
    EXPECT_LE(c.gpus(), kMostPlannedGpus);
  EXPECT_TRUE(candidates(testing::dense_72b(), kAll, 0).empty());
}

TEST(Candidates, HaveNames) {
  EXPECT_EQ((Candidate{{.tensor = 4}, 1}).label(), "TP4");
  EXPECT_EQ((Candidate{{.tensor = 2}, 3}).label(), "3 x TP2");
  EXPECT_EQ((Candidate{{.tensor = 2, .pipeline = 3}, 1}).label(), "TP2 x PP3");
  EXPECT_EQ((Candidate{{.tensor = 2, .pipeline = 2}, 2}).label(), "2 x (TP2 x PP2)");
  EXPECT_EQ((Candidate{{.tensor = 1, .ranks = 8, .expert = true}, 1}).label(), "TP1 x DP8 + EP");
  EXPECT_EQ((Candidate{{.tensor = 2}, 3}).layout().data, 3);
}

std::string shown(int gpus, int replicas, Language language) {
  LaunchShape shape;
  shape.pipeline = gpus;
  return rendered(Value{shown_label({shape, replicas}, {.by_layers = true})}, language);
}

TEST(Labels, OfLayersSharedOutNameNoTensorGroup) {
  EXPECT_EQ(shown(1, 1, Language::English), "one GPU");
  EXPECT_EQ(shown(3, 1, Language::English), "layers over 3 GPUs");
  EXPECT_EQ(shown(3, 1, Language::Chinese), "3 张 GPU 分层");
  EXPECT_EQ(shown(2, 2, Language::English), "2 x layers over 2 GPUs");
  EXPECT_EQ(shown(2, 2, Language::Chinese), "2 个副本，各 2 张 GPU 分层");
  EXPECT_EQ(shown(1, 4, Language::Chinese), "4 个单卡副本");
  EXPECT_EQ(shown_label({{.tensor = 2, .pipeline = 3}, 1}, {}).english, "TP2 x PP3");
  EXPECT_EQ((Candidate{{.tensor = 8, .groups = 8}, 1}.label()), "TP8 + DP attention");
  EXPECT_EQ((Candidate{{.tensor = 8, .expert = true, .groups = 8}, 1}.label()),
            "TP8 + EP + DP attention");
  EXPECT_EQ((Candidate{{.tensor = 2, .small_cache = true}, 3}.label()), "3 x (TP2 + FP8 KV)");
}

TEST(Candidates, ShareAttentionOutByRequestsOnlyForALatentCache) {
  ModelSpec model;
  const LaunchKinds kinds{.groups = true};
  const auto any = [&] {
    return std::ranges::any_of(candidates(model, kinds, 4),
                               [](const Candidate& c) { return c.shape.groups > 1; });
  };
  EXPECT_FALSE(any());
  model.kv_lora = {512, Origin::Config};
  EXPECT_TRUE(any());
}

// Experts whole or cut, with attention shared out or not: all four, where there are experts.
TEST(Candidates, ShareAttentionOutWithWholeExpertsToo) {
  ModelSpec model = experts();
  model.kv_lora = testing::number(512);
  const LaunchKinds kinds{.experts = true, .groups = true};
  const auto count = [&](bool expert, int groups) {
    return std::ranges::count_if(candidates(model, kinds, 4), [&](const Candidate& c) {
      const LaunchShape& shape = c.shape;
      return shape.tensor == 4 && shape.pipeline == 1 && shape.expert == expert &&
             shape.groups == groups;
    });
  };
  for (const bool expert : {false, true}) {
    for (const int groups : {1, 4}) EXPECT_EQ(count(expert, groups), 1) << expert << groups;
  }
  model.experts = testing::number(0);
  EXPECT_EQ(count(true, 4), 0);
  EXPECT_EQ(count(false, 4), 1);
}

}  // namespace
}  // namespace sx
