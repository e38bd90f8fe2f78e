// What is known from before, and what climbing proves: which layouts are started, and in what
// order.
#include <gtest/gtest.h>

#include "supervisor_story.h"

namespace sx {
namespace {

using test::seconds;
using test::Story;
using Again = CauseFound::Again;

// Layouts and rungs of so many GPUs a replica.
Deployment of_gpus(std::vector<std::size_t> layouts, std::vector<std::size_t> rungs = {}) {
  const auto made = [](std::size_t gpus, bool rung) {
    EngineLaunch launch{.engine = "vllm", .words = {"vllm"}, .environment = {}};
    for (std::size_t i = 0; i < gpus; ++i) launch.gpus.push_back(static_cast<int>(i));
    return DeployedLayout{.label = (rung ? "rung " : "TP") + std::to_string(gpus),
                          .replicas = {launch},
                          .proves = rung ? "it starts" : ""};
  };
  Deployment deployment{.name = "test"};
  for (const std::size_t gpus : layouts) deployment.layouts.push_back(made(gpus, false));
  for (const std::size_t gpus : rungs) deployment.rungs.push_back(made(gpus, true));
  return deployment;
}

void proven_and_left(Story& story) {
  story.ready();
  story.happens(EngineEnded{.of = story.attempt(), .code = 0, .signal = {}});
  story.happens(Released{story.attempt()});
}

TEST(SupervisorMemory, ALayoutThatIsKnownBadDoesNotStandIn) {
  Story story(of_gpus({4, 3, 2}), false, {false, true, false});
  story.ends(0, 1);
  story.cause(0, "oom-cudagraph", Again::Never, true);
  EXPECT_EQ(story.supervisor().layout().label, "TP2");
}

TEST(SupervisorMemory, WhereAllOthersAreKnownBadItGivesUp) {
  Story story(of_gpus({4, 2}), false, {false, true});
  story.ends(0, 1);
  story.cause(0, "oom-cudagraph", Again::Never, true);
  EXPECT_TRUE(story.supervisor().finished());
  EXPECT_EQ(story.supervisor().layout().label, "TP4");
}

TEST(SupervisorMemory, TheLadderGoesThroughItsRungsToTheLayout) {
  Story story(of_gpus({4}, {1, 2}), true);
  EXPECT_EQ(story.supervisor().layout().label, "rung 1");
  proven_and_left(story);
  EXPECT_EQ(story.supervisor().layout().label, "rung 2");
  EXPECT_TRUE(story.last<LayoutProven>().rung);
  proven_and_left(story);
  EXPECT_EQ(story.supervisor().layout().label, "TP4");
  EXPECT_FALSE(story.supervisor().on_ladder());
  EXPECT_EQ(story.count<DrainRequests>(), 0);  // a rung had no requests to wait for
}

TEST(SupervisorMemory, ARungLargerThanTheLayoutProvesNothingForIt) {
  Story story(of_gpus({2}, {1, 4}), true);
  EXPECT_EQ(story.supervisor().layout().label, "rung 1");
  proven_and_left(story);
  EXPECT_EQ(story.supervisor().layout().label, "TP2");
  Story without(of_gpus({2}, {4}), true);
  EXPECT_FALSE(without.supervisor().on_ladder());
}

TEST(SupervisorMemory, WhatStoodStillIsToldFromWhatEnded) {
  Story story(of_gpus({4, 2}));
  for (int i = 0; i < 3; ++i) {
    story.pass(seconds(301));  // nothing is said for too long
    story.happens(EngineEnded{.of = story.attempt(), .code = {}, .signal = 9});
    story.cause(0, "", Again::Maybe);
    story.pass(seconds(61));
  }
  EXPECT_FALSE(story.last<LayoutProven>().good);
  EXPECT_TRUE(story.last<LayoutProven>().hung);
  EXPECT_EQ(story.last<LayoutProven>().layout, 0U);
  EXPECT_EQ(story.last<LayoutProven>().cause, "stalled");
  EXPECT_EQ(story.supervisor().layout().label, "TP2");

  Story other(of_gpus({4, 2}));
  other.ends(0, 1);
  other.cause(0, "oom-cudagraph", Again::Never, true);
  EXPECT_FALSE(other.last<LayoutProven>().hung);
}

// Whatever becomes of the replica that failed: the rung did.
TEST(SupervisorMemory, ARungThatFailedHasNotProvenItselfWhenItsReplicaIsDrained) {
  Deployment deployment = of_gpus({2}, {1});
  deployment.rungs[0].replicas.push_back(deployment.rungs[0].replicas[0]);
  Story story(deployment, true);
  story.ends(0, 1);
  story.ends(1, 1);
  story.cause(0, "oom", Again::Never);
  story.happens(AskDrain{0});
  story.cause(1, "oom", Again::Maybe);
  EXPECT_TRUE(story.supervisor().finished());
  EXPECT_EQ(story.supervisor().layout().label, "rung 1");
}

TEST(SupervisorMemory, DownAtOnceDoesNotWaitForRequestsNorForTheEngine) {
  Story story(of_gpus({1}));
  story.ready();
  story.happens(AskDown{});
  EXPECT_EQ(story.count<DrainRequests>(), 1);
  EXPECT_EQ(story.count<StopEngine>(), 0);
  story.happens(AskDown{.at_once = true});
  EXPECT_EQ(story.count<StopEngine>(), 1);
  EXPECT_EQ(story.last<StopEngine>().grace, seconds(0));
  story.happens(Drained{story.attempt()});
  EXPECT_EQ(story.count<StopEngine>(), 1);  // it is ending already
  story.ends(0, 137);
  story.happens(Released{story.attempt()});
  EXPECT_TRUE(story.supervisor().finished());
  EXPECT_EQ(story.told(), "planned, starting, warming, ready, draining, stopped");
}

}  // namespace
}  // namespace sx
