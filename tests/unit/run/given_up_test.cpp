// What was given up stays so when a daemon comes back, until somebody asks.
#include "run/given_up.h"

#include <gtest/gtest.h>

#include "change_story.h"

namespace sx {
namespace {

using test::launch_of;
using test::running;

GivenUp one_model(const std::string& model) {
  ReplicaView lost;
  lost.cause = "oom-weights-too-big";
  lost.cause_code = "SX7101";
  lost.cause_title = "weights need \"40 GiB\"";
  lost.cause_title_chinese = "权重需要 40 GiB";
  lost.report = "/reports/0-3.json";
  lost.attempt = {.replica = 0, .start = 3};
  return {{model, lost}};
}

// A supervisor as a daemon that comes back has it.
struct Back {
  Back(const Deployment& deployment, GivenUp lost) : supervisor(deployment, Patience{}, 0, false) {
    supervisor.resume_given_up(std::move(lost));
  }
  std::vector<Action> begins() {
    supervisor.begin(now);
    return supervisor.actions();
  }
  template <class A>
  static int count(const std::vector<Action>& actions) {
    return static_cast<int>(std::ranges::count_if(
        actions, [](const Action& action) { return std::holds_alternative<A>(action); }));
  }
  Moment now{1'000};
  Supervisor supervisor;
};

TEST(GivenUp, WhatIsWrittenIsReadBack) {
  const GivenUp before = one_model("a");
  const GivenUp after = read_given_up(given_up_words(before));
  ASSERT_EQ(after.size(), 1U);
  const ReplicaView &lost = after.at("a"), &told = before.at("a");
  EXPECT_EQ(lost.cause, told.cause);
  EXPECT_EQ(lost.cause_code, told.cause_code);
  EXPECT_EQ(lost.cause_title, told.cause_title);
  EXPECT_EQ(lost.cause_title_chinese, told.cause_title_chinese);
  EXPECT_EQ(lost.report, told.report);
  EXPECT_EQ(lost.attempt.start, 3);
  EXPECT_EQ(given_up_words({}), "");
}

TEST(GivenUp, WhatIsNoneOfOursSaysNothing) {
  for (const char* words : {"", "{", "[]", "{}", R"({"models":1})", R"({"models":[1]})",
                            R"({"models":[{}]})", R"({"models":[{"model":"a","cause":1}]})"})
    EXPECT_TRUE(read_given_up(words).empty()) << words;
}

TEST(GivenUp, NothingIsStartedUntilSomebodyAsks) {
  Back back(running({launch_of("a", 1, {0}, "a"), launch_of("a", 2, {1}, "a")}), one_model("a"));
  const auto begun = back.begins();
  EXPECT_EQ(Back::count<StartEngine>(begun), 0);
  EXPECT_EQ(Back::count<Finished>(begun), 1);
  EXPECT_TRUE(back.supervisor.finished());
  const auto view = back.supervisor.view();
  EXPECT_EQ(view[0].state, ReplicaState::Failed);
  EXPECT_EQ(view[1].cause, "oom-weights-too-big");
  EXPECT_EQ(back.supervisor.given_up().size(), 1U) << "and the next daemon knows it too";
  EXPECT_TRUE(back.supervisor.coming().empty());

  back.supervisor.take(AskRestart{0}, back.now);
  const auto asked = back.supervisor.actions();
  ASSERT_EQ(Back::count<StartEngine>(asked), 1);
  EXPECT_EQ(std::get<StartEngine>(asked.front()).of.start, 4) << "its records are not overwritten";
  EXPECT_TRUE(back.supervisor.given_up().empty());
  EXPECT_FALSE(back.supervisor.finished());
}

TEST(GivenUp, TheOtherModelsGoOn) {
  Back back(running({launch_of("a", 1, {0}, "a"), launch_of("b", 2, {1}, "b")}), one_model("a"));
  const auto begun = back.begins();
  ASSERT_EQ(Back::count<StartEngine>(begun), 1);
  EXPECT_EQ(Back::count<Finished>(begun), 0);
  const auto view = back.supervisor.view();
  EXPECT_EQ(view[0].state, ReplicaState::Failed);
  EXPECT_EQ(view[1].state, ReplicaState::Starting);
}

TEST(GivenUp, AReloadTriesItAgain) {
  Back back(running({launch_of("a", 1, {0}, "a")}), one_model("a"));
  back.begins();
  back.supervisor.take(AskReload{.wanted = back.supervisor.deployment()}, back.now);
  EXPECT_EQ(Back::count<StartEngine>(back.supervisor.actions()), 1);
  EXPECT_TRUE(back.supervisor.given_up().empty());
}

// One that gave up the only model it had knows which, and where to come back to.
TEST(GivenUp, TheLastLayoutThatFailedIsRemembered) {
  test::Story story(test::deployment_of({{"one", 1}}));
  story.ends(0, 1);
  story.cause(0, "oom", CauseFound::Again::Never);
  ASSERT_TRUE(story.supervisor().finished());
  const auto lost = story.supervisor().given_up();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost.begin()->second.cause, "oom");
  EXPECT_EQ(story.supervisor().layout_to_resume(), 0U);
}

TEST(GivenUp, OnTheLadderTooAndItComesBackToTheLayoutThatWasWanted) {
  test::Story story(test::deployment_of({{"two", 1}}, {{"one", 1}}), true);
  EXPECT_EQ(story.supervisor().layout_to_resume(), std::nullopt);
  story.ends(0, 1);
  story.cause(0, "oom", CauseFound::Again::Never);
  ASSERT_TRUE(story.supervisor().finished());
  EXPECT_EQ(story.supervisor().given_up().size(), 1U);
  EXPECT_EQ(story.supervisor().layout_to_resume(), 0U);
}

}  // namespace
}  // namespace sx
