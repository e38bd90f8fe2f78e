// What requests may wait for: from the start to the last try, through layouts and reloads, and no
// longer than something comes.
#include <gtest/gtest.h>

#include "supervisor_story.h"

namespace sx {
namespace {

using test::deployment_of;
using test::seconds;
using test::Story;
using Again = CauseFound::Again;

Deployment two_models(const std::string& words_of_b = "b") {
  Deployment deployment{.name = "test"};
  DeployedLayout layout{.label = "one", .replicas = {}, .proves = ""};
  for (const std::string model : {"a", "b"}) {
    EngineLaunch launch{.engine = "vllm", .words = {"vllm", model == "a" ? "a" : words_of_b}};
    launch.port = 9000 + static_cast<int>(layout.replicas.size());
    launch.gpus = {static_cast<int>(layout.replicas.size())};
    launch.model = model;
    layout.replicas.push_back(launch);
  }
  deployment.layouts.push_back(layout);
  return deployment;
}

std::string coming(const Story& story) {
  std::string all;
  for (const std::string& model : story.supervisor().coming()) all += model;
  return all;
}

TEST(Coming, AModelComesFromItsStartUntilItIsThereAndAgainFromItsDeath) {
  Story story(two_models());
  EXPECT_EQ(coming(story), "ab");
  story.ready(0);
  EXPECT_EQ(coming(story), "b");
  story.ready(1);
  EXPECT_EQ(coming(story), "");
  story.ends(0, 1);
  EXPECT_EQ(coming(story), "a");
  story.cause(0, "oom-weights", Again::Maybe);
  EXPECT_EQ(coming(story), "a");
}

// Its cause is still known from the try before, and the next try has no time yet.
TEST(Coming, ASecondFailureIsNoEndWhileTriesAreLeft) {
  Story story(two_models());
  story.ready(0);
  story.ends(1, 1);
  story.cause(1, "oom-weights", Again::Maybe);
  story.pass(seconds(5));
  ASSERT_EQ(story.state(1), ReplicaState::Starting);
  story.ends(1, 1);
  EXPECT_EQ(coming(story), "b");
  story.cause(1, "oom-weights", Again::Maybe);
  EXPECT_EQ(coming(story), "b");
}

TEST(Coming, AFailureForGoodEndsItAndTheGatewayIsTold) {
  Story story(two_models());
  story.ready(0);
  story.ends(1, 1);
  const int told = story.count<PublishRoutes>();
  story.cause(1, "wrong-flag", Again::Never);
  EXPECT_EQ(coming(story), "");
  EXPECT_EQ(story.count<PublishRoutes>(), told + 1);
  story.happens(AskRestart{1});
  EXPECT_EQ(coming(story), "b");
}

TEST(Coming, DrainedByHandIsNotWaitedForAndRestartedIs) {
  Story story(two_models());
  story.ready(0);
  story.ready(1);
  story.happens(AskDrain{0});
  story.happens(AskRestart{1});
  EXPECT_EQ(coming(story), "b");
  story.happens(AskDown{});
  EXPECT_EQ(coming(story), "");
}

TEST(Coming, ALayoutThatIsLeftGivesWayToTheNext) {
  Story story(deployment_of({{"big", 2}, {"small", 1}}));
  story.ready(0);
  story.ends(1, 1);
  story.cause(1, "oom-weights", Again::Never, true);
  story.ends(0, 1);
  EXPECT_EQ(story.supervisor().coming().size(), 1U) << "while the layout is left";
  story.cause(0, "oom-weights", Again::Never, true);
  EXPECT_EQ(story.supervisor().coming().size(), 1U);
  Story last(deployment_of({{"only", 1}}));
  last.ends(0, 1);
  last.cause(0, "oom-weights", Again::Never, true);
  EXPECT_TRUE(last.supervisor().finished());
  EXPECT_TRUE(last.supervisor().coming().empty());
}

// The other replica of the layout still has to end, and nothing is seen of what comes then.
TEST(Coming, WhileALayoutIsLeftWhatFollowsItDecides) {
  const auto left = [](std::vector<std::pair<std::string, int>> layouts, bool of_layout) {
    Story story(deployment_of(std::move(layouts)));
    story.ends(0, 1);
    story.cause(0, "oom-weights", Again::Never, of_layout);
    EXPECT_EQ(story.state(1), ReplicaState::Draining);
    return story.supervisor().coming().size();
  };
  EXPECT_EQ(left({{"big", 2}, {"small", 1}}, true), 1U);
  EXPECT_EQ(left({{"only", 2}}, true), 0U);
  EXPECT_EQ(left({{"big", 2}, {"small", 1}}, false), 0U) << "a smaller one would not help";
}

TEST(Coming, OneThatFailedForGoodBesideOneThatServesDoesNotCome) {
  Story story(deployment_of({{"two", 2}}));
  story.ready(0);
  story.ready(1);
  story.ends(1, 1);
  EXPECT_EQ(story.supervisor().coming().size(), 1U);
  story.cause(1, "wrong-flag", Again::Never);
  EXPECT_TRUE(story.supervisor().coming().empty());
}

TEST(Coming, OnTheLadderAllComesButTheModelThatCouldNotClimbIt) {
  Deployment deployment = two_models();
  for (const EngineLaunch& launch : deployment.layouts.front().replicas)
    deployment.rungs.push_back(
        {.label = launch.model, .replicas = {launch}, .proves = "it starts"});
  Story story(deployment, true);
  EXPECT_EQ(coming(story), "ab");
  story.ends(0, 1);
  story.cause(0, "wrong-flag", Again::Never);
  ASSERT_TRUE(story.supervisor().on_ladder());
  EXPECT_EQ(coming(story), "b");
}

// Whether it steps down is decided once the change is at its end; until then nothing of it starts.
TEST(Coming, OneThatIsLostWhileAReloadGoesBackComesWithTheNextLayout) {
  const auto lost = [](std::vector<std::pair<std::string, int>> layouts, bool of_layout) {
    Deployment wanted = deployment_of({{"wanted", 2}});
    for (EngineLaunch& launch : wanted.layouts.front().replicas) {
      launch.words.emplace_back("--new");
      launch.port += 10;
    }
    Story story(deployment_of(std::move(layouts)));
    story.ready(0);
    story.happens(AskReload{wanted});
    story.happens(Frozen{.of = story.attempt(0), .since = seconds(60)});
    EXPECT_EQ(story.state(2), ReplicaState::Starting) << "beside the other new one";
    story.ends(1, 1);
    story.cause(1, "oom-weights", Again::Never);
    EXPECT_EQ(story.count<TurnedBack>(), 1);
    story.ends(0, 1);
    story.cause(0, "oom-weights", Again::Never, of_layout);
    EXPECT_TRUE(story.supervisor().change()) << "the second new one has not ended yet";
    const std::size_t told = story.supervisor().coming().size();
    story.ends(static_cast<int>(story.supervisor().view().size()) - 1, 0);
    story.happens(Released{story.attempt(static_cast<int>(story.supervisor().view().size()) - 1)});
    EXPECT_EQ(story.state(0) == ReplicaState::Starting, told == 1);
    return told;
  };
  EXPECT_EQ(lost({{"big", 1}, {"small", 1}}, true), 1U);
  EXPECT_EQ(lost({{"only", 1}}, true), 0U);
  EXPECT_EQ(lost({{"big", 1}, {"small", 1}}, false), 0U) << "a smaller one would not help";
}

// Whoever drains the last one that serves does not wait for it: what the layout gives way to is
// decided at once, and is waited for.
TEST(Coming, WhereTheLastThatServesIsDrainedTheNextLayoutComes) {
  Story story(deployment_of({{"big", 2}, {"small", 1}}));
  story.ready(0);
  story.ends(1, 1);
  story.cause(1, "oom-weights", Again::Never, true);
  EXPECT_TRUE(story.supervisor().coming().empty()) << "the other one serves on";
  story.happens(AskDrain{0});
  EXPECT_EQ(story.supervisor().coming().size(), 1U);
  story.happens(Drained{story.attempt(0)});
  story.ends(0, 0);
  EXPECT_EQ(story.supervisor().coming().size(), 1U);
  story.happens(Released{story.attempt(0)});
  EXPECT_EQ(story.supervisor().layout().label, "small");
  EXPECT_EQ(story.state(0), ReplicaState::Starting);
}

TEST(Coming, OneThatIsDrainedWhileTheOtherIsLostIsNotWaitedForEither) {
  Story story(deployment_of({{"big", 2}, {"small", 1}}));
  story.ready(0);
  story.happens(AskDrain{0});
  story.ends(1, 1);
  story.cause(1, "oom-weights", Again::Never, true);
  EXPECT_EQ(story.supervisor().coming().size(), 1U) << "the next layout";
}

// A restart that was asked for meanwhile is none of a layout that is left.
TEST(Coming, WhatHasFinishedStartsNothingByItself) {
  Story story(deployment_of({{"only", 2}}, {{"rung", 2}}), true);
  const Attempt of = story.attempt(0);
  story.happens(HealthTold{.of = of, .is = HealthTold::Is::Ready});
  story.happens(
      WarmedUp{.of = of, .good = false, .words = "no answer"});  // its cause is looked for
  story.ends(1, 1);
  story.happens(AskRestart{0});
  story.ends(0, 1);
  story.cause(1, "oom-weights", Again::Never, true);
  story.happens(Released{of});
  EXPECT_TRUE(story.supervisor().finished());
  const int starts = story.count<StartEngine>();
  story.cause(0, "late", Again::Maybe);
  EXPECT_EQ(story.count<StartEngine>(), starts);
}

// The old one has gone, and the new one waits for its card: neither is there to be seen.
TEST(Coming, WhatAReloadIsAboutToStartIsWaitedFor) {
  Story story(two_models());
  story.ready(0);
  story.ready(1);
  story.happens(AskReload{two_models("b2")});
  ASSERT_EQ(story.state(1), ReplicaState::Draining);
  EXPECT_EQ(coming(story), "b");
  story.happens(Drained{story.attempt(1)});
  story.ends(1, 0);
  EXPECT_EQ(coming(story), "b");
}

// The new deployment has another model, and the old one still serves until that is ready.
TEST(Coming, AnOldModelThatIsSilentMayBeWaitedForUntilItIsReplaced) {
  Story story(two_models());
  story.ready(0);
  story.ready(1);
  Deployment wanted = deployment_of({{"other", 1}});
  wanted.layouts.front().replicas.front().model = "c";
  story.happens(AskReload{wanted});
  const std::vector<ReplicaView> all = story.supervisor().view();
  for (const ReplicaView& view : all) {
    if (view.state != ReplicaState::Ready) continue;
    for (int i = 0; i < 10; ++i)
      story.happens(HealthTold{.of = view.attempt, .is = HealthTold::Is::Silent});
    EXPECT_TRUE(story.supervisor().coming().contains(view.launch->model));
    return;
  }
  FAIL() << "no old one serves";
}

TEST(Coming, WhatTheGatewayMakesOfALaunchIsNoReasonToReplaceIt) {
  Story story(two_models());
  story.ready(0);
  story.ready(1);
  Deployment wanted = two_models();
  wanted.layouts.front().replicas[1].weight = 3;
  wanted.layouts.front().replicas[1].most = 64;
  story.happens(AskReload{wanted});
  EXPECT_TRUE(story.last<Changed>().good);
  EXPECT_EQ(story.count<StartEngine>(), 2);
  EXPECT_EQ(story.supervisor().view().at(1).launch->weight, 3);
  EXPECT_EQ(story.supervisor().view().at(1).launch->most, 64);
}

}  // namespace
}  // namespace sx
