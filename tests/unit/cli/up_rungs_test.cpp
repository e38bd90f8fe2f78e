// Smaller layouts that lead up to a command's own.
#include "cli/up_rungs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/cli/up_world.h"

namespace sx {
namespace {

UpMade made_of(std::vector<std::string> command, bool rungs = true) {
  const UpWorld world;
  auto made = deployment_of_command(command, {.name = "box", .rungs = rungs}, world.outside);
  EXPECT_TRUE(made) << made.error().what;
  return made ? std::move(*made) : UpMade{};
}

std::vector<std::string> labels(const UpMade& made) {
  std::vector<std::string> all;
  for (const DeployedLayout& rung : made.deployment.rungs) all.push_back(rung.label);
  return all;
}
bool follows(const std::vector<std::string>& words, std::string_view flag, std::string_view value) {
  const auto at = std::ranges::find(words, flag);
  return at != words.end() && at + 1 != words.end() && *(at + 1) == value;
}

TEST(UpRungs, OneGpuThenTwoWithAShortContext) {
  const UpMade made =
      made_of({"vllm", "serve", "m", "--tensor-parallel-size", "4", "--max-model-len", "32768"});
  EXPECT_EQ(labels(made), (std::vector<std::string>{"TP1", "TP2"}));
  ASSERT_EQ(made.rung_commands.size(), 2U);
  const EngineLaunch& one = made.deployment.rungs[0].replicas.at(0);
  EXPECT_TRUE(follows(one.words, "--tensor-parallel-size", "1"));
  EXPECT_TRUE(follows(one.words, "--max-model-len", "4096"));
  EXPECT_EQ(one.gpus, (std::vector<int>{0}));
  EXPECT_EQ(made.deployment.rungs[0].proves, "files, tokenizer, code path");
  EXPECT_EQ(made.deployment.rungs[1].proves, "peer communication");
  EXPECT_TRUE(follows(made.rung_commands[1], "--tensor-parallel-size", "2"));
  EXPECT_NE(one.port, made.deployment.layouts[0].replicas[0].port);
  // The layout itself is as it was given.
  EXPECT_TRUE(follows(made.deployment.layouts[0].replicas[0].words, "--max-model-len", "32768"));
}

TEST(UpRungs, SizesThatAreNoPowersOfTwoAreReachedFromBelow) {
  EXPECT_EQ(labels(made_of({"sglang", "serve", "--model-path", "m", "--tp", "6"})),
            (std::vector<std::string>{"TP1", "TP2", "TP4"}));
}

TEST(UpRungs, WhatIsNotSplitOrSplitInAnotherWayHasNone) {
  EXPECT_TRUE(labels(made_of({"vllm", "serve", "m"})).empty());
  EXPECT_TRUE(labels(made_of({"vllm", "serve", "m", "-tp", "1"})).empty());
  EXPECT_TRUE(labels(made_of({"vllm", "serve", "m", "-tp", "2", "-pp", "2"})).empty());
  EXPECT_TRUE(labels(made_of({"vllm", "serve", "m", "-tp", "2", "-dp", "2"})).empty());
  EXPECT_TRUE(labels(made_of({"llama-server", "-m", "x.gguf"})).empty());
  EXPECT_TRUE(labels(made_of({"vllm", "serve", "m", "-tp", "4"}, false)).empty());
}

TEST(UpRungs, AreCalledAsThePlanCallsOneReplica) {
  const auto label = [](std::string of) {
    return named_rung(2, {.label = std::move(of), .replicas = {}, .proves = ""}).label;
  };
  EXPECT_EQ(label("3 x TP2"), "TP2");
  EXPECT_EQ(label("TP2"), "TP2");
  EXPECT_EQ(label("TP2 x PP3"), "TP2 x PP3");
  EXPECT_EQ(label("2 x TP2 x PP3"), "TP2 x PP3");
}

}  // namespace
}  // namespace sx
