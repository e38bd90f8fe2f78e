// Diffusion pipelines: replicas where a card holds all, one picture over several, components
// placed.
#include "plan/pipeline_plan.h"

#include <gtest/gtest.h>

#include "unit/plan/asking.h"

namespace sx {
namespace {

PipelinePart part(const std::string& name, Bytes bytes, int heads = 0) {
  PipelinePart p;
  p.name = name;
  p.type = "Made";
  p.there = true;
  if (bytes > Bytes{0}) p.files.files.push_back({.path = "model.safetensors", .bytes = bytes});
  if (heads > 0) p.files.heads = testing::number(heads);
  return p;
}

std::vector<PipelinePart> pipeline(int heads = 24) {
  return {part("scheduler", {}), part("text_encoder", gib(15)), part("transformer", gib(20), heads),
          part("vae", mib(250))};
}

PipelineAnswer answer(const std::vector<PipelinePart>& parts, const HostSpec& host, int gpus = 0) {
  return plan_pipeline({.model = "made/pictures", .parts = &parts, .host = &host, .gpus = gpus});
}

const PipelineServing* over(const PipelineAnswer& found, int gpus_each) {
  for (const PipelineServing& plan : found.plans) {
    if (plan.gpus_each == gpus_each) return &plan;
  }
  return nullptr;
}

TEST(PipelinePlans, AreAReplicaOnEachCardThatHoldsAll) {
  const auto found = answer(pipeline(), testing::machine(5));
  ASSERT_FALSE(found.plans.empty());
  const PipelineServing& best = found.plans.front();
  EXPECT_EQ(best.replicas, 5);
  EXPECT_EQ(best.gpus_each, 1);
  ASSERT_EQ(best.commands.size(), 5U);
  EXPECT_NE(best.commands[4].find("CUDA_VISIBLE_DEVICES=4 "), std::string::npos);
  EXPECT_NE(best.commands[4].find("made/pictures"), std::string::npos);
  EXPECT_NE(best.commands[0].substr(best.commands[0].find("--port")),
            best.commands[1].substr(best.commands[1].find("--port")));
}

// 24 heads: 4 of 5 cards, and the fifth stays free.
TEST(PipelinePlans, SplitAPictureOverCardsThatDivideItsHeads) {
  const auto found = answer(pipeline(), testing::machine(5));
  const PipelineServing* split = over(found, 4);
  ASSERT_NE(split, nullptr);
  EXPECT_EQ(split->idle, std::vector<int>{4});
  EXPECT_NE(split->commands.front().find("CUDA_VISIBLE_DEVICES=0,1,2,3 "), std::string::npos);
  EXPECT_NE(over(answer(pipeline(0), testing::machine(5)), 2), nullptr);  // heads are not known
}

TEST(PipelinePlans, SkipPortsThatAreTakenAndCardsThatOthersFill) {
  HostSpec host = testing::machine(3);
  host.gpus[1].used = {gib(20), Origin::Flag};
  host.used_ports = {std::vector<UsedPort>{{.port = 8000, .address = "0.0.0.0"}}, Origin::Device};
  const auto found = answer(pipeline(), host);
  ASSERT_FALSE(found.plans.empty());
  const PipelineServing& best = found.plans.front();
  EXPECT_EQ(best.gpus, (std::vector<std::vector<int>>{{0}, {2}}));
  EXPECT_EQ(best.idle, std::vector<int>{1});
  EXPECT_EQ(best.commands.front().find("--port 8000"), std::string::npos);
}

TEST(PipelinePlans, PlaceComponentsWhereNoCardHoldsAll) {
  const auto parts = pipeline();
  const auto found = answer(parts, testing::machine(2, gib(22)));
  EXPECT_TRUE(found.plans.empty());
  ASSERT_EQ(found.placed.size(), 3U);
  EXPECT_EQ(found.placed[0].part->name, "transformer");
  EXPECT_NE(found.placed[0].gpu, found.placed[1].gpu);
  EXPECT_TRUE(found.fits());
}

TEST(PipelinePlans, DoNotFitWhereTheLargestComponentDoesNot) {
  const auto found = answer(pipeline(), testing::machine(4, gib(18)));
  EXPECT_FALSE(found.fits());
  EXPECT_FALSE(found.memory_unknown);
}

TEST(PipelinePlans, DoNotGuessMemoryOrWeights) {
  HostSpec host = testing::machine(2);
  for (Gpu& gpu : host.gpus) gpu.usable = {};
  EXPECT_TRUE(answer(pipeline(), host).memory_unknown);
  const auto empty = answer({part("vae", {})}, testing::machine(2));
  EXPECT_TRUE(empty.memory_unknown);
  EXPECT_FALSE(empty.fits());
}

TEST(PipelinePlans, UseNoMoreCardsThanAllowed) {
  const auto found = answer(pipeline(), testing::machine(6), 3);
  ASSERT_FALSE(found.plans.empty());
  EXPECT_EQ(found.plans.front().replicas, 3);
}

}  // namespace
}  // namespace sx
