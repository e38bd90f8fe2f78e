// What the gateway is told: who takes requests, what may be waited for, what failed for good, and
// how often something stood still.
#include "api/gateway_told.h"

#include <gtest/gtest.h>

#include "unit/run/supervisor_story.h"

namespace sx {
namespace {

using test::seconds;
using test::Story;
using Again = CauseFound::Again;

Deployment two_models() {
  Deployment deployment{.name = "test"};
  DeployedLayout layout{.label = "one", .replicas = {}, .proves = ""};
  for (const std::string model : {"a", "b"}) {
    EngineLaunch launch{.engine = "vllm", .words = {"vllm", model}};
    launch.port = 9000 + static_cast<int>(layout.replicas.size());
    launch.model = model;
    launch.weight = launch.port - 8998;
    launch.most = 64;
    layout.replicas.push_back(launch);
  }
  deployment.layouts.push_back(layout);
  return deployment;
}

TEST(GatewayTold, AModelThatFailedForGoodIsNamedWithItsCauseBesideOneThatServes) {
  Story story(two_models());
  story.ready(0);
  auto table = routes_of(story.supervisor());
  EXPECT_EQ(table.coming, std::vector<std::string>{"b"});
  EXPECT_TRUE(table.down.empty());
  story.ends(1, 1);
  story.cause(1, "wrong-flag", Again::Never);
  const auto after = routes_of(story.supervisor());
  EXPECT_FALSE(same_outlook(table, after));
  EXPECT_TRUE(after.coming.empty());
  EXPECT_EQ(after.down, (std::map<std::string, std::string>{{"b", "wrong-flag"}}));
  ASSERT_EQ(after.routes.size(), 1U);
  EXPECT_TRUE(after.routes[0].takes);
  EXPECT_TRUE(after.restarts);
}

TEST(GatewayTold, OneThatWasDrainedByHandHasNoCause) {
  Story story(two_models());
  story.ready(0);
  story.ready(1);
  story.happens(AskDrain{1});
  story.happens(Drained{story.attempt(1)});
  story.ends(1, 0);
  EXPECT_EQ(routes_of(story.supervisor()).down, (std::map<std::string, std::string>{{"b", ""}}));
  story.happens(AskDown{});
  EXPECT_TRUE(routes_of(story.supervisor()).down.empty());
  EXPECT_FALSE(routes_of(story.supervisor()).restarts);
}

TEST(GatewayTold, SharesComeFromTheLaunchAndTheFileHasTheLastWord) {
  Deployment deployment = two_models();
  const auto most = [](const Deployment& one) {
    Story story(one);
    story.ready(0);
    return routes_of(story.supervisor()).routes.at(0).most;
  };
  EXPECT_EQ(most(deployment), 64);
  deployment.gateway.concurrency = 8;
  EXPECT_EQ(most(deployment), 8);
  deployment.gateway.concurrency = 0;
  EXPECT_EQ(most(deployment), 0);
  Story story(two_models());
  story.ready(1);
  EXPECT_EQ(routes_of(story.supervisor()).routes.at(0).weight, 3);
}

TEST(GatewayTold, WhatStandsStillIsCountedPerReplica) {
  Story story(two_models());
  story.ready(0);
  story.ready(1);
  story.happens(Frozen{.of = story.attempt(1), .since = seconds(60)});
  WedgeCount wedges;
  for (const Transition& one : story.transitions()) wedges.take(one);
  const auto states = states_of(story.supervisor(), wedges);
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].state, ReplicaState::Ready);
  EXPECT_EQ(states[0].wedges, 0U);
  EXPECT_EQ(states[1].state, ReplicaState::Wedged);
  EXPECT_EQ(states[1].wedges, 1U);
  EXPECT_EQ(states[1].engine, "vllm");
}

}  // namespace
}  // namespace sx
