// Stories of reloads: what goes on, what is replaced in which order, and what happens when the new
// does not work.
#include <gtest/gtest.h>

#include "change_story.h"

namespace sx {
namespace {

using test::ends_of_all_that_drain;
using test::fails;
using test::launch_of;
using test::ready;
using test::running;
using test::seconds;
using test::Story;
using test::there;
using Again = CauseFound::Again;

TEST(Change, ReplicasThatStayAsTheyAreAreNotTouched) {
  Story story(running({launch_of("a", 1), launch_of("b", 2)}));
  ready(story, 0);
  ready(story, 1);
  const int starts = story.count<StartEngine>();
  story.happens(AskReload{running({launch_of("b", 2), launch_of("a", 1)})});
  EXPECT_EQ(story.count<StartEngine>(), starts);
  EXPECT_EQ(story.count<DrainRequests>(), 0);
  EXPECT_TRUE(story.last<Changed>().good);
  EXPECT_FALSE(story.supervisor().change());
}

TEST(Change, ANewOneStartsBesideAndTheOldOneServesUntilItIsReady) {
  Story story(running({launch_of("a", 1), launch_of("a", 2)}));
  ready(story, 0);
  ready(story, 1);
  story.happens(AskReload{running({launch_of("b", 3), launch_of("b", 4)})});
  EXPECT_EQ(there(story), "0 a ready, 1 a ready, 2 b starting");
  story.pass(seconds(200));
  EXPECT_EQ(there(story), "0 a ready, 1 a ready, 2 b starting");
  ready(story, 2);
  EXPECT_EQ(there(story), "0 a draining, 1 a ready, 2 b ready, 3 b starting");
  ends_of_all_that_drain(story);
  EXPECT_EQ(there(story), "1 a ready, 2 b ready, 3 b starting");
  ready(story, 3);
  ends_of_all_that_drain(story);
  EXPECT_EQ(there(story), "2 b ready, 3 b ready");
  EXPECT_TRUE(story.last<Changed>().good);
  EXPECT_EQ(story.count<Changed>(), 1);
}

TEST(Change, WhereTheCardsAreTakenOneGivesWayAtATime) {
  Story story(running({launch_of("a", 1, {0, 1}), launch_of("a", 2, {2, 3})}));
  ready(story, 0);
  ready(story, 1);
  story.happens(AskReload{running({launch_of("b", 3, {0, 1}), launch_of("b", 4, {2, 3})})});
  EXPECT_EQ(there(story), "0 a draining, 1 a ready");
  ends_of_all_that_drain(story);
  EXPECT_EQ(there(story), "0 b starting, 1 a ready");
  ready(story, 0);
  EXPECT_EQ(there(story), "0 b ready, 1 a draining");
  ends_of_all_that_drain(story);
  ready(story, 1);
  EXPECT_EQ(there(story), "0 b ready, 1 b ready");
  EXPECT_TRUE(story.last<Changed>().good);
}

TEST(Change, CardsThatAreNamedInTheEnvironmentAreTakenToo) {
  EngineLaunch old = launch_of("a", 1);
  EngineLaunch next = launch_of("b", 2);
  old.environment["CUDA_VISIBLE_DEVICES"] = "GPU-1, GPU-2";
  next.environment["CUDA_VISIBLE_DEVICES"] = "GPU-2";
  Story story(running({old}));
  ready(story, 0);
  story.happens(AskReload{running({next})});
  EXPECT_EQ(there(story), "0 a draining");
}

TEST(Change, OneThatDoesNotBecomeReadyIsTakenBackAndTheOldOneNeverStoppedServing) {
  Story story(running({launch_of("a", 1)}));
  ready(story, 0);
  story.happens(AskReload{running({launch_of("b", 2)})});
  fails(story, 1);
  EXPECT_EQ(there(story), "0 a ready");
  EXPECT_FALSE(story.last<Changed>().good);
  EXPECT_EQ(story.last<Changed>().cause, "oom-kv");
  EXPECT_EQ(story.supervisor().deployment(), running({launch_of("a", 1)}));
  EXPECT_EQ(story.count<DrainRequests>(), 0);
}

TEST(Change, ACauseThatCanGoAwayIsTriedAgainBeforeItIsTakenBack) {
  Story story(running({launch_of("a", 1)}));
  ready(story, 0);
  story.happens(AskReload{running({launch_of("b", 2)})});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(story.count<Changed>(), 0);
    fails(story, 1, Again::Maybe);
    story.pass(seconds(21));
  }
  EXPECT_FALSE(story.last<Changed>().good);
}

TEST(Change, WhatGaveWayComesBackWhenTheNewDoesNotWork) {
  Story story(running({launch_of("a", 1, {0}), launch_of("a", 2, {1})}));
  ready(story, 0);
  ready(story, 1);
  story.happens(AskReload{running({launch_of("b", 3, {0}), launch_of("b", 4, {1})})});
  ends_of_all_that_drain(story);
  ready(story, 0);  // the first new one works
  ends_of_all_that_drain(story);
  EXPECT_EQ(there(story), "0 b ready, 1 b starting");
  fails(story, 1);
  EXPECT_EQ(there(story), "0 b ready, 1 a starting");
  EXPECT_TRUE(story.supervisor().change()->goes_back);
  ready(story, 1);
  ends_of_all_that_drain(story);
  ready(story, 0);
  EXPECT_EQ(there(story), "0 a ready, 1 a ready");
  EXPECT_FALSE(story.last<Changed>().good);
}

TEST(Change, FewerAndMore) {
  Story story(running({launch_of("a", 1), launch_of("a", 2), launch_of("a", 3)}));
  for (const int i : {0, 1, 2}) ready(story, i);
  story.happens(AskReload{running({launch_of("a", 2)})});
  EXPECT_EQ(there(story), "0 a draining, 1 a ready, 2 a draining");
  ends_of_all_that_drain(story);
  EXPECT_EQ(there(story), "1 a ready");
  story.happens(AskReload{running({launch_of("a", 2), launch_of("a", 1), launch_of("a", 3)})});
  EXPECT_EQ(there(story), "0 a starting, 1 a ready, 2 a starting");
}

TEST(Change, AReloadInTheMiddleOfAnotherGoesOnFromWhereItIs) {
  Story story(running({launch_of("a", 1)}));
  ready(story, 0);
  story.happens(AskReload{running({launch_of("b", 2)})});
  story.happens(AskReload{running({launch_of("c", 3)})});
  EXPECT_EQ(there(story), "0 a ready, 1 b draining, 2 c starting");
  fails(story, 2);
  ends_of_all_that_drain(story);
  EXPECT_EQ(there(story), "0 a ready");
  EXPECT_EQ(story.supervisor().deployment(), running({launch_of("a", 1)}));
}

TEST(Change, AnOldOneThatIsSilentMayBeWaitedForUntilItIsReplaced) {
  Story story(running({launch_of("a", 1)}));
  ready(story, 0);
  story.happens(AskReload{running({launch_of("b", 2)})});
  for (int i = 0; i < 3; ++i)
    story.happens(HealthTold{.of = story.attempt(0), .is = HealthTold::Is::Silent});
  story.happens(EngineEnded{.of = story.attempt(1), .code = 1, .signal = {}});
  story.happens(AskDrain{1});  // nobody starts it again
  EXPECT_EQ(there(story), "0 a suspect, 1 b failed");
  EXPECT_TRUE(story.supervisor().coming().contains("m"));
  story.happens(HealthTold{.of = story.attempt(0), .is = HealthTold::Is::Ready});
  EXPECT_EQ(there(story), "0 a ready, 1 b failed");
}

TEST(Change, AnOldOneThatEndsMeanwhileIsNotStartedAgain) {
  Story story(running({launch_of("a", 1), launch_of("a", 2)}));
  ready(story, 0);
  ready(story, 1);
  story.happens(AskReload{running({launch_of("b", 3), launch_of("b", 4)})});
  fails(story, 1, Again::Maybe);
  EXPECT_EQ(there(story), "0 a ready, 2 b starting");
  ready(story, 2);
  EXPECT_EQ(there(story), "0 a ready, 1 b starting, 2 b ready");
}

TEST(Change, OneThatWasGivenUpStartsAnewWithWhatIsWantedNow) {
  Story story(running({launch_of("a", 1)}));
  fails(story, 0);
  ASSERT_TRUE(story.supervisor().finished());
  story.happens(AskReload{running({launch_of("b", 1)})});
  EXPECT_FALSE(story.supervisor().finished());
  EXPECT_EQ(there(story), "0 b starting");
  ready(story, 0);
  EXPECT_TRUE(story.last<Changed>().good);
}

TEST(Change, DownEndsAChangeToo) {
  Story story(running({launch_of("a", 1)}));
  ready(story, 0);
  story.happens(AskReload{running({launch_of("b", 2)})});
  story.happens(AskDown{});
  ends_of_all_that_drain(story);
  EXPECT_TRUE(story.supervisor().finished());
  EXPECT_EQ(story.count<StartEngine>(), 2);
}

TEST(Change, ADaemonThatCameBackKnowsItsReplicasByHowTheyWereLaunched) {
  Supervisor supervisor(running({launch_of("a", 1), launch_of("b", 2)}), Patience{}, 0, false);
  const Moment now{0};
  const Attempt of{.replica = 5, .start = 9};
  supervisor.take(Adopted{.of = of, .state = ReplicaState::Ready, .launch = launch_of("b", 2)},
                  now);
  supervisor.begin(now);
  ASSERT_EQ(supervisor.view().size(), 2U);
  EXPECT_EQ(supervisor.view()[1].attempt, of);
  EXPECT_EQ(supervisor.view()[1].launch->words.back(), "b");
  EXPECT_EQ(supervisor.view()[0].state, ReplicaState::Starting);
  EXPECT_TRUE(supervisor.serves(5));
}

void cannot_start(Supervisor& supervisor, Attempt of, Moment now) {
  supervisor.take(NotStarted{.of = of, .cause = "program-absent", .words = {}}, now);
  supervisor.take(Released{of}, now);
}

TEST(Change, ADaemonThatCameBackInTheMiddleGoesOnAndCanStillGoBack) {
  Supervisor supervisor(running({launch_of("b", 2)}), Patience{}, 0, false);
  const Moment now{0};
  const Attempt of{.replica = 0, .start = 3};
  supervisor.resume_change({.before = running({launch_of("a", 1)})});
  supervisor.take(Adopted{.of = of, .state = ReplicaState::Ready, .launch = launch_of("a", 1)},
                  now);
  supervisor.begin(now);
  ASSERT_EQ(supervisor.view().size(), 2U);
  EXPECT_TRUE(supervisor.view()[0].retires);
  EXPECT_EQ(supervisor.view()[0].state, ReplicaState::Ready);
  const Attempt next = supervisor.view()[1].attempt;
  EXPECT_EQ(supervisor.view()[1].state, ReplicaState::Starting);
  cannot_start(supervisor, next, now);
  ASSERT_EQ(supervisor.view().size(), 1U);
  EXPECT_FALSE(supervisor.view()[0].retires);
  EXPECT_TRUE(supervisor.serves(0));
}

TEST(Change, ANewOneThatAnEarlierDaemonStartedIsStillOnTrial) {
  Supervisor supervisor(running({launch_of("b", 2)}), Patience{}, 0, false);
  const Moment now{0};
  const Attempt old{.replica = 0, .start = 3};
  const Attempt next{.replica = 1, .start = 4};
  supervisor.resume_change({.before = running({launch_of("a", 1)})});
  supervisor.take(Adopted{.of = old, .state = ReplicaState::Ready, .launch = launch_of("a", 1)},
                  now);
  supervisor.take(Adopted{.of = next, .state = ReplicaState::Starting, .launch = launch_of("b", 2)},
                  now);
  supervisor.begin(now);
  ASSERT_TRUE(supervisor.change());
  EXPECT_EQ(supervisor.change()->starting, 1U);
  cannot_start(supervisor, next, now);
  ASSERT_EQ(supervisor.view().size(), 1U);
  EXPECT_FALSE(supervisor.view()[0].retires);
  EXPECT_TRUE(supervisor.serves(0));
}

Deployment of_two_layouts(const std::string& what, int port) {
  Deployment deployment = running({launch_of(what, port)});
  deployment.layouts.push_back(
      {.label = "two", .replicas = {launch_of(what + " small", port + 1)}, .proves = ""});
  return deployment;
}

TEST(Change, AReloadBeginsWhereItsLayoutsAreNotKnownToFail) {
  Story story(running({launch_of("a", 1)}));
  ready(story, 0);
  story.happens(
      AskReload{.wanted = of_two_layouts("b", 2), .layout = 1, .left_out = {true, false}});
  EXPECT_EQ(there(story), "0 a ready, 1 b small starting");
  EXPECT_EQ(story.supervisor().layout_index(), 1U);
  ready(story, 1);
  ends_of_all_that_drain(story);
  EXPECT_TRUE(story.last<Changed>().good);
  EXPECT_EQ(story.supervisor().left_out(), (std::vector<bool>{true, false}));
}

TEST(Change, WhatDoesNotWorkGoesBackToTheLayoutThatRan) {
  Story story(of_two_layouts("a", 1), false, {false, false});
  fails(story, 0, Again::Never, true);
  ASSERT_EQ(there(story), "0 a small starting");
  ready(story, 0);
  story.happens(AskReload{.wanted = running({launch_of("b", 9)})});
  EXPECT_EQ(story.supervisor().layout_index(), 0U);
  fails(story, 1);
  EXPECT_EQ(story.count<TurnedBack>(), 1);
  EXPECT_EQ(story.last<TurnedBack>().cause, "oom-kv");
  EXPECT_EQ(story.supervisor().layout_index(), 1U);
  EXPECT_EQ(there(story), "0 a small ready");
  EXPECT_FALSE(story.last<Changed>().good);
}

TEST(Change, ADaemonThatCameBackGoesBackToTheLayoutThatRan) {
  Supervisor supervisor(running({launch_of("b", 9)}), Patience{}, 0, false);
  const Moment now{0};
  supervisor.resume_change({.before = of_two_layouts("a", 1), .layout_before = 1});
  supervisor.take(Adopted{.of = {.replica = 0, .start = 3},
                          .state = ReplicaState::Ready,
                          .launch = launch_of("a small", 2)},
                  now);
  supervisor.begin(now);
  const Attempt next = supervisor.view()[1].attempt;
  cannot_start(supervisor, next, now);
  EXPECT_EQ(supervisor.layout_index(), 1U);
  ASSERT_EQ(supervisor.view().size(), 1U);
  EXPECT_TRUE(supervisor.serves(0));
}

TEST(Change, ADaemonThatCameBackWhileItWentBackSaysSoAtTheEnd) {
  Supervisor supervisor(running({launch_of("a", 1)}), Patience{}, 0, false);
  const Moment now{0};
  supervisor.resume_change({.before = {}, .layout_before = 0, .cause = "oom-kv"});
  const Attempt unwanted{.replica = 4, .start = 3};
  supervisor.take(
      Adopted{.of = unwanted, .state = ReplicaState::Ready, .launch = launch_of("b", 9)}, now);
  supervisor.begin(now);
  ASSERT_TRUE(supervisor.change());
  EXPECT_TRUE(supervisor.change()->goes_back);
  EXPECT_TRUE(supervisor.serves(4));  // until what ran before is there again
  const Attempt old = supervisor.view()[0].attempt;
  supervisor.take(HealthTold{.of = old, .is = HealthTold::Is::Ready}, now);
  supervisor.take(WarmedUp{.of = old, .good = true, .words = ""}, now);
  supervisor.take(Drained{unwanted}, now);
  supervisor.take(EngineEnded{.of = unwanted, .code = 0, .signal = {}}, now);
  [[maybe_unused]] const auto before = supervisor.actions();
  supervisor.take(Released{unwanted}, now);
  bool told = false;
  for (const Action& action : supervisor.actions()) {
    const auto* changed = std::get_if<Changed>(&action);
    if (changed == nullptr) continue;
    told = true;
    EXPECT_FALSE(changed->good);
    EXPECT_EQ(changed->cause, "oom-kv");
  }
  EXPECT_TRUE(told);
}

TEST(Change, WhereNothingRunsAReloadClimbsItsLadder) {
  Story story(running({launch_of("a", 1)}));
  fails(story, 0);
  ASSERT_TRUE(story.supervisor().finished());
  Deployment wanted = running({launch_of("b", 2, {0, 1})});
  wanted.rungs.push_back(
      {.label = "one GPU", .replicas = {launch_of("b", 3, {0})}, .proves = "it starts"});
  story.happens(AskReload{.wanted = wanted, .ladder = true});
  EXPECT_TRUE(story.supervisor().on_ladder());
  EXPECT_EQ(story.supervisor().layout().label, "one GPU");
  // Where something serves, its cards are not taken away for a proof.
  Story serving(running({launch_of("a", 1, {0, 1})}));
  ready(serving, 0);
  serving.happens(AskReload{.wanted = wanted, .ladder = true});
  EXPECT_FALSE(serving.supervisor().on_ladder());
}

TEST(Change, OneThatIsToBeReplacedIsNotRestarted) {
  Story story(running({launch_of("a", 1)}));
  ready(story, 0);
  story.happens(AskReload{running({launch_of("b", 2)})});
  story.happens(AskRestart{0});
  EXPECT_EQ(there(story), "0 a ready, 1 b starting");
}

TEST(Change, PatienceIsOfTheStage) {
  Deployment deployment = running({launch_of("a", 1)});
  deployment.patience.stages["load"] = seconds(1000);
  deployment.patience.stall = seconds(50);
  Story story(deployment);
  story.pass(seconds(49));
  story.happens(StageReached{.of = story.attempt(), .stage = "load"});
  story.pass(seconds(900));
  EXPECT_EQ(story.count<StopEngine>(), 0);
  story.happens(StageReached{.of = story.attempt(), .stage = "kv"});
  story.pass(seconds(51));
  EXPECT_EQ(story.count<StopEngine>(), 1);
}

}  // namespace
}  // namespace sx
