// Stories of several models in one deployment: each steps down, climbs and is given up by itself.
#include <gtest/gtest.h>

#include "change_story.h"

namespace sx {
namespace {

using test::ends_of_all_that_drain;
using test::fails;
using test::launch_of;
using test::ready;
using test::running;
using test::Story;
using test::there;
using Again = CauseFound::Again;

TEST(Models, OneStepsDownWhileTheOtherGoesOn) {
  Deployment deployment = running({launch_of("a", 1, {0, 1}, "a"), launch_of("b", 2, {2}, "b")});
  deployment.layouts.push_back(
      {.label = "smaller b",
       .replicas = {launch_of("a", 1, {0, 1}, "a"), launch_of("b small", 4, {3}, "b")},
       .proves = ""});
  deployment.layouts.push_back(
      {.label = "smaller a",
       .replicas = {launch_of("a small", 3, {0}, "a"), launch_of("b", 2, {2}, "b")},
       .proves = ""});
  Story story(deployment);
  ready(story, 1);
  const Attempt other = story.supervisor().view()[1].attempt;
  fails(story, 0, Again::Never, true);
  EXPECT_EQ(there(story), "0 a small starting, 1 b ready");
  EXPECT_EQ(story.supervisor().layout().label, "smaller a");
  EXPECT_EQ(story.supervisor().view()[1].attempt, other);
  fails(story, 0);  // nothing smaller is left: the other one still serves
  EXPECT_EQ(there(story), "0 a small failed, 1 b ready");
  EXPECT_FALSE(story.supervisor().finished());
  EXPECT_EQ(story.last<LayoutProven>().model, "a");
}

// Two models with two layouts each, in all combinations.
Deployment of_two_models() {
  Deployment deployment{.name = "test"};
  const auto layout = [](const std::string& a, const std::string& b) {
    return DeployedLayout{
        .label = a + " + " + b,
        .replicas = {launch_of(a, a == "a1" ? 1 : 3, a == "a1" ? std::vector{0, 1} : std::vector{0},
                               "a"),
                     launch_of(b, b == "b1" ? 2 : 4, b == "b1" ? std::vector{2, 3} : std::vector{2},
                               "b")},
        .proves = ""};
  };
  for (const char* a : {"a1", "a2"}) {
    for (const char* b : {"b1", "b2"}) deployment.layouts.push_back(layout(a, b));
  }
  return deployment;
}

void fails_of_layout(Story& story, int number) {
  for (const ReplicaView& view : story.supervisor().view()) {
    if (view.index != number) continue;
    const Attempt of = view.attempt;
    story.happens(EngineEnded{.of = of, .code = 1, .signal = {}});
    story.happens(CauseFound{.of = of,
                             .name = "oom",
                             .code = "",
                             .title = "",
                             .again = Again::Never,
                             .of_layout = true});
    story.happens(Released{of});
    return;
  }
  FAIL() << "there is no replica " << number;
}

TEST(Models, OneThatIsGivenUpDoesNotKeepTheOtherFromSteppingDown) {
  Story story(of_two_models());
  fails(story, 0);  // hopeless: no layout cures it
  EXPECT_EQ(there(story), "0 a1 failed, 1 b1 starting");
  EXPECT_FALSE(story.supervisor().finished());
  fails_of_layout(story, 1);
  EXPECT_EQ(there(story), "0 a1 failed, 1 b2 starting");
  EXPECT_EQ(story.supervisor().layout().label, "a1 + b2");
  const int starts = story.count<StartEngine>();
  ready(story, 1);
  EXPECT_EQ(there(story), "0 a1 failed, 1 b2 ready");
  EXPECT_EQ(story.count<StartEngine>(), starts);
  EXPECT_EQ(story.last<LayoutProven>().model, "b");
  EXPECT_TRUE(story.last<LayoutProven>().good);
  story.happens(AskRestart{0});  // a person mended it
  EXPECT_EQ(there(story), "0 a1 starting, 1 b2 ready");
}

TEST(Models, OneThatSomebodyDrainsWhileItFailsDoesNotStepDown) {
  Story story(of_two_models());
  const Attempt of = story.supervisor().view()[1].attempt;
  story.happens(EngineEnded{.of = of, .code = 1, .signal = {}});
  story.happens(AskDrain{1});
  story.happens(Released{of});
  fails(story, 0);  // all that is settled now is a's
  EXPECT_EQ(there(story), "0 a1 failed, 1 b1 failed");
  EXPECT_EQ(story.count<StartEngine>(), 2);
}

TEST(Models, OneThatSomebodyDrainedStaysSoWhenTheOtherStepsDown) {
  Story story(of_two_models());
  ready(story, 1);
  story.happens(AskDrain{1});
  story.happens(Drained{story.attempt(1)});
  story.ends(1, 0);
  story.happens(Released{story.attempt(1)});
  fails_of_layout(story, 0);
  EXPECT_EQ(there(story), "0 a2 starting, 1 b1 stopped");
  story.happens(AskRestart{1});
  EXPECT_EQ(there(story), "0 a2 starting, 1 b1 starting");
}

TEST(Models, WhereBothAreGivenUpItEnds) {
  Story story(of_two_models());
  fails(story, 0);
  fails(story, 1);
  EXPECT_TRUE(story.supervisor().finished());
  EXPECT_FALSE(story.last<Finished>().asked);
  EXPECT_EQ(there(story), "0 a1 failed, 1 b1 failed");
}

TEST(Models, EachClimbsItsOwnLadder) {
  Deployment deployment = of_two_models();
  const auto rung = [&](const std::string& what, std::vector<int> gpus, const std::string& model) {
    deployment.rungs.push_back(
        {.label = what, .replicas = {launch_of(what, 7, std::move(gpus), model)}, .proves = "p"});
  };
  rung("a one", {0}, "a");
  rung("a four", {0, 1, 2, 3}, "a");  // larger than what is to serve: proves nothing
  rung("b one", {2}, "b");
  Story story(deployment, true);
  EXPECT_EQ(there(story), "0 a one starting");
  fails(story, 0);  // hopeless, and only for a
  EXPECT_EQ(there(story), "0 b one starting");
  ready(story, 0);
  ends_of_all_that_drain(story);
  EXPECT_FALSE(story.supervisor().on_ladder());
  EXPECT_EQ(there(story), "0 a1 failed, 1 b1 starting");
  EXPECT_EQ(story.supervisor().view()[0].cause, "oom-kv");
  ready(story, 1);
  EXPECT_FALSE(story.supervisor().finished());
}

TEST(Models, ARungThatFailsStepsItsOwnModelDown) {
  Deployment deployment = of_two_models();
  deployment.rungs.push_back(
      {.label = "a two", .replicas = {launch_of("a two", 7, {0, 1}, "a")}, .proves = "p"});
  deployment.rungs.push_back(
      {.label = "b two", .replicas = {launch_of("b two", 8, {2, 3}, "b")}, .proves = "p"});
  Story story(deployment, true);
  fails_of_layout(story, 0);
  EXPECT_EQ(there(story), "0 b two starting");
  ready(story, 0);
  ends_of_all_that_drain(story);
  EXPECT_EQ(there(story), "0 a2 starting, 1 b1 starting");
  EXPECT_EQ(story.supervisor().layout().label, "a2 + b1");
}

}  // namespace
}  // namespace sx
