// Stories of replicas: what the supervisor makes of what happens to them.
#include "run/supervisor.h"

#include <gtest/gtest.h>

#include <csignal>

#include "supervisor_story.h"

namespace sx {
namespace {

using test::deployment_of;
using test::seconds;
using test::Story;
using Again = CauseFound::Again;

TEST(Supervisor, AReplicaBecomesReadyByHealthAndAProvenRequest) {
  Story story(deployment_of({{"TP2", 1}}));
  EXPECT_EQ(story.count<StartEngine>(), 1);
  story.happens(EngineStarted{story.attempt()});
  story.happens(HealthTold{.of = story.attempt(), .is = HealthTold::Is::Ready});
  EXPECT_EQ(story.count<WarmUp>(), 1);
  EXPECT_FALSE(story.supervisor().serves(0));
  story.happens(WarmedUp{.of = story.attempt(), .good = true, .words = ""});
  EXPECT_TRUE(story.supervisor().serves(0));
  EXPECT_EQ(story.told(), "planned, starting, warming, ready");
  EXPECT_EQ(story.last<LayoutProven>().good, true);
}

TEST(Supervisor, AStartThatShowsProgressIsWaitedForAndAStalledOneIsNot) {
  Story story(deployment_of({{"TP2", 1}}));
  for (int i = 0; i < 20; ++i) {  // 80 minutes of loading, something new every four
    story.pass(seconds(240));
    story.happens(StageReached{.of = story.attempt(), .stage = "load", .percent = i});
  }
  EXPECT_EQ(story.state(), ReplicaState::Starting);
  story.pass(seconds(301));
  EXPECT_EQ(story.count<FindCause>(), 1);
  EXPECT_TRUE(story.last<FindCause>().still_runs);
  EXPECT_EQ(story.last<StopEngine>().grace, seconds(0));
}

TEST(Supervisor, ACauseThatCanGoAwayIsTriedAgainAfterFiveTwentySeconds) {
  Story story(deployment_of({{"TP2", 1}}));
  for (const int wait : {5, 20}) {
    story.ends(0, 1);
    story.cause(0, "port-in-use", Again::Maybe);
    const int before = story.count<StartEngine>();
    story.pass(seconds(wait - 1));
    EXPECT_EQ(story.count<StartEngine>(), before);
    story.pass(seconds(2));
    EXPECT_EQ(story.count<StartEngine>(), before + 1);
  }
  story.ends(0, 1);
  story.cause(0, "port-in-use", Again::Maybe);
  story.pass(seconds(3600));
  EXPECT_EQ(story.count<StartEngine>(), 3);
  EXPECT_TRUE(story.supervisor().finished());
}

TEST(Supervisor, ALayoutThatCannotWorkIsLeftForTheNextOneAtOnce) {
  Story story(deployment_of({{"TP4", 1}, {"TP2", 2}}));
  story.ends(0, 1);
  story.cause(0, "oom-weights-too-big", Again::Never, true);
  EXPECT_EQ(story.supervisor().layout().label, "TP2");
  EXPECT_EQ(story.count<StartEngine>(), 3);
  EXPECT_FALSE(story.last<LayoutProven>().good);
  story.ready(0);
  story.ready(1);
  EXPECT_TRUE(story.last<LayoutProven>().good);
}

TEST(Supervisor, AFaultThatNoLayoutCuresEndsInAnAnswerNotInALoop) {
  Story story(deployment_of({{"TP4", 1}, {"TP2", 1}}));
  story.ends(0, 2);
  story.cause(0, "cli-flag-removed", Again::Never, false);
  EXPECT_EQ(story.count<StartEngine>(), 1);
  EXPECT_TRUE(story.supervisor().finished());
  EXPECT_EQ(story.supervisor().view()[0].cause, "cli-flag-removed");
  story.happens(AskRestart{0});  // a person mended it
  EXPECT_EQ(story.count<StartEngine>(), 2);
  EXPECT_FALSE(story.supervisor().finished());
}

TEST(Supervisor, OneReplicaThatCannotBeHadLeavesTheOthersServing) {
  Story story(deployment_of({{"3 x TP2", 3}, {"TP2", 1}}));
  for (const int replica : {0, 1, 2}) story.ready(replica);
  story.ends(1, 1);
  story.cause(1, "oom-weights-too-big", Again::Never, true);
  EXPECT_EQ(story.state(1), ReplicaState::Failed);
  EXPECT_EQ(story.supervisor().layout().label, "3 x TP2");
  EXPECT_TRUE(story.supervisor().serves(0) && story.supervisor().serves(2));
}

TEST(Supervisor, AnExitWithZeroThatNobodyAskedForIsAFailure) {
  Story story(deployment_of({{"TP2", 1}}));
  story.ready();
  story.ends(0, 0);
  EXPECT_EQ(story.state(), ReplicaState::Failed);
  story.cause(0, "native-crash", Again::Maybe);
  story.pass(seconds(6));
  EXPECT_EQ(story.state(), ReplicaState::Starting);
}

// A warm-up that breaks off because the engine dies: its last words come a moment later.
TEST(Supervisor, AnEngineThatEndsByItselfWhileItsCauseIsLookedForIsLookedAtAgain) {
  Story story(deployment_of({{"TP2", 1}}));
  const auto found = [&](const std::string& name) {
    CauseFound cause{.of = story.attempt(), .name = name, .code = "", .title = ""};
    story.happens(cause);
  };
  story.happens(HealthTold{.of = story.attempt(), .is = HealthTold::Is::Ready});
  story.happens(WarmedUp{.of = story.attempt(), .good = false, .words = ""});
  EXPECT_TRUE(story.last<FindCause>().still_runs);
  story.happens(EngineEnded{.of = story.attempt(), .code = {}, .signal = SIGABRT});
  EXPECT_EQ(story.count<FindCause>(), 2);
  EXPECT_FALSE(story.last<FindCause>().still_runs);
  story.happens(Released{story.attempt()});
  found("");
  EXPECT_FALSE(story.supervisor().view()[0].next_try);  // the better answer is still to come
  found("cuda-illegal-access");
  EXPECT_EQ(story.supervisor().view()[0].cause, "cuda-illegal-access");
  EXPECT_TRUE(story.supervisor().view()[0].next_try);

  Story other(deployment_of({{"TP2", 1}}));  // ended by us: there is nothing more to hear
  other.happens(HealthTold{.of = other.attempt(), .is = HealthTold::Is::Ready});
  other.happens(WarmedUp{.of = other.attempt(), .good = false, .words = ""});
  other.happens(EngineEnded{.of = other.attempt(), .code = {}, .signal = SIGKILL});
  EXPECT_EQ(other.count<FindCause>(), 1);
}

TEST(Supervisor, NothingIsStartedBeforeWhatWasThereIsGone) {
  Story story(deployment_of({{"TP2", 1}}));
  story.ends(0, 1);
  story.happens(CauseFound{.of = story.attempt(),
                           .name = "native-crash",
                           .code = "",
                           .title = "",
                           .again = Again::Maybe,
                           .report = ""});
  story.pass(seconds(3600));
  EXPECT_EQ(story.count<StartEngine>(), 1);
  story.happens(Released{story.attempt()});
  story.pass(seconds(6));
  EXPECT_EQ(story.count<StartEngine>(), 2);
}

TEST(Supervisor, SilenceMakesSuspectAndWedgedAndIsEnded) {
  Story story(deployment_of({{"TP2", 1}}));
  story.ready();
  for (int i = 0; i < 3; ++i)
    story.happens(HealthTold{.of = story.attempt(), .is = HealthTold::Is::Silent});
  EXPECT_EQ(story.state(), ReplicaState::Suspect);
  EXPECT_FALSE(story.supervisor().serves(0));
  story.happens(HealthTold{.of = story.attempt(), .is = HealthTold::Is::Ready});
  EXPECT_EQ(story.state(), ReplicaState::Ready);
  for (int i = 0; i < 3; ++i)
    story.happens(HealthTold{.of = story.attempt(), .is = HealthTold::Is::Silent});
  story.pass(seconds(61));
  EXPECT_EQ(story.state(), ReplicaState::Wedged);
  EXPECT_TRUE(story.last<FindCause>().still_runs);
}

TEST(Supervisor, FrozenCountersEndAReplicaWhoseHealthIsFine) {
  Story story(deployment_of({{"TP2", 1}}));
  story.ready();
  story.happens(Frozen{.of = story.attempt(), .since = seconds(60)});
  EXPECT_EQ(story.told(), "planned, starting, warming, ready, suspect, wedged");
  story.happens(HealthTold{.of = story.attempt(), .is = HealthTold::Is::Ready});
  EXPECT_EQ(story.state(), ReplicaState::Wedged);
}

TEST(Supervisor, DownDrainsStopsAndFinishes) {
  Story story(deployment_of({{"2 x TP2", 2}}));
  story.ready(0);
  story.happens(AskDown{});
  EXPECT_EQ(story.count<DrainRequests>(), 1);  // the other one serves nobody
  EXPECT_EQ(story.count<StopEngine>(), 1);
  story.happens(Drained{story.attempt(0)});
  EXPECT_EQ(story.count<StopEngine>(), 2);
  for (const int replica : {0, 1}) {
    story.ends(replica, 0);
    EXPECT_FALSE(story.supervisor().finished());
    story.happens(Released{story.attempt(replica)});
  }
  EXPECT_TRUE(story.supervisor().finished());
  EXPECT_TRUE(story.last<Finished>().asked);
}

TEST(Supervisor, AnEngineThatIgnoresTheRequestIsKilledAgainAndAgain) {
  Story story(deployment_of({{"TP2", 1}}));
  story.ready();
  story.happens(AskDown{});
  story.happens(Drained{story.attempt()});
  EXPECT_EQ(story.last<StopEngine>().grace, seconds(30));
  story.pass(seconds(41));
  EXPECT_EQ(story.last<StopEngine>().grace, seconds(0));
  const int before = story.count<StopEngine>();
  story.pass(seconds(25));
  EXPECT_EQ(story.count<StopEngine>(), before + 2);
}

TEST(Supervisor, WhatBelongsToAnEarlierStartIsPassedOver) {
  Story story(deployment_of({{"TP2", 1}}));
  const Attempt first = story.attempt();
  story.ends(0, 1);
  story.cause(0, "native-crash", Again::Maybe);
  story.pass(seconds(6));
  story.happens(HealthTold{.of = first, .is = HealthTold::Is::Ready});
  story.happens(EngineEnded{.of = first, .code = 1, .signal = {}});
  EXPECT_EQ(story.state(), ReplicaState::Starting);
}

TEST(Supervisor, TheLadderClimbsProvesAndThenServes) {
  Story story(deployment_of({{"TP4", 1}}, {{"one GPU", 1}, {"TP2", 1}}), true);
  for (const char* rung : {"one GPU", "TP2"}) {
    EXPECT_EQ(story.supervisor().layout().label, rung);
    story.ready();
    EXPECT_FALSE(story.supervisor().serves(0));
    story.happens(Drained{story.attempt()});
    story.ends(0, 0);
    story.happens(Released{story.attempt()});
  }
  EXPECT_FALSE(story.supervisor().on_ladder());
  EXPECT_EQ(story.supervisor().layout().label, "TP4");
}

TEST(Supervisor, AReplicaThatServedLongHasItsTriesBack) {
  Story story(deployment_of({{"TP2", 1}}));
  for (int i = 0; i < 5; ++i) {
    story.ready();
    story.pass(seconds(700));
    story.ends(0, 1);
    story.cause(0, "native-crash", Again::Maybe);
    story.pass(seconds(6));
    ASSERT_EQ(story.state(), ReplicaState::Starting) << i;
  }
}

TEST(Supervisor, AProgramThatIsNotThereIsSaidAtOnce) {
  Story story(deployment_of({{"TP2", 1}, {"TP1", 1}}));
  story.happens(NotStarted{
      .of = story.attempt(), .cause = "program-absent", .words = {"no vllm", "没有 vllm"}});
  story.happens(Released{story.attempt()});
  EXPECT_TRUE(story.supervisor().finished());
  EXPECT_EQ(story.count<StartEngine>(), 1);
  EXPECT_EQ(story.supervisor().view()[0].cause_title, "no vllm");
}

TEST(Supervisor, AReplicaThatWasTakenOverIsRestartedLikeAnyOther) {
  const Deployment deployment = deployment_of({{"TP2", 1}});
  Supervisor supervisor(deployment, Patience{}, 0, false);
  const Attempt of{.replica = 0, .start = 4};
  const Moment now{0};
  supervisor.take(Adopted{.of = of, .state = ReplicaState::Ready}, now);
  supervisor.begin(now);
  supervisor.take(AskRestart{0}, now);
  supervisor.take(Drained{of}, now);
  supervisor.take(EngineEnded{.of = of, .code = 0, .signal = {}}, now);
  EXPECT_EQ(supervisor.view()[0].state, ReplicaState::Stopped);
  supervisor.take(Released{of}, now);
  EXPECT_EQ(supervisor.view()[0].state, ReplicaState::Starting);
  EXPECT_EQ(supervisor.view()[0].attempt.start, 5);
}

TEST(Supervisor, RestartReplacesOneReplica) {
  Story story(deployment_of({{"2 x TP2", 2}}));
  story.ready(0);
  story.ready(1);
  story.happens(AskRestart{0});
  story.happens(Drained{story.attempt(0)});
  story.ends(0, 0);
  story.happens(Released{story.attempt(0)});
  EXPECT_EQ(story.state(0), ReplicaState::Starting);
  EXPECT_EQ(story.state(1), ReplicaState::Ready);
}

}  // namespace
}  // namespace sx
