// Which cards may take the place of those that a replica has lost.
#include "run/other_cards.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

using Sets = std::vector<std::vector<int>>;

GpuUse card(int gpu, Bytes used = mib(400), std::string name = "A100", Bytes memory = gib(40)) {
  return {.gpu = gpu, .used = used, .holders = {}, .name = std::move(name), .memory = memory};
}
GpuUse lost(int gpu) { return {.gpu = gpu, .used = {}, .holders = {}}; }

EngineLaunch on(std::vector<int> gpus) {
  EngineLaunch launch{.engine = "vllm", .words = {"vllm", "serve", "m"}};
  launch.gpus = std::move(gpus);
  return launch;
}

OtherCardsAsk ask(std::vector<int> own, std::vector<int> bad, std::vector<GpuUse> now,
                  std::vector<int> not_these = {}) {
  return {.program = "/nonexistent",
          .launch = on(std::move(own)),
          .bad = std::move(bad),
          .not_these = std::move(not_these),
          .now = std::move(now)};
}

TEST(OtherCards, OneThatTheDriverNoLongerReachesIsLost) {
  const std::vector<GpuUse> before{card(0), card(1), card(2)};
  const auto trouble = trouble_with(on({0, 1}), before, {card(0), lost(1), card(2)});
  EXPECT_EQ(trouble.gpus, std::vector{1});
  EXPECT_EQ(trouble.why.english, "the driver no longer reaches GPU 1");
  EXPECT_EQ(trouble.why.chinese, "驱动已无法访问 GPU 1");
  EXPECT_TRUE(trouble_with(on({0, 2}), before, {card(0), lost(1), card(2)}).gpus.empty());
  const Both two = trouble_with(on({0, 1}), before, {lost(0), lost(1), card(2)}).why;
  EXPECT_EQ(two.english, "the driver no longer reaches GPU 0, 1");
  EXPECT_EQ(two.chinese, "驱动已无法访问 GPU 0、1");
}

TEST(OtherCards, OneThatHoldsMoreThanBeforeIsTaken) {
  const auto trouble = trouble_with(on({0, 1}), {card(0), card(1)}, {card(0), card(1, gib(30))});
  EXPECT_EQ(trouble.gpus, std::vector{1});
  EXPECT_EQ(trouble.why.english, "GPU 1 is held by others");
}

TEST(OtherCards, ADriverThatReachesNothingBlamesNoCard) {
  EXPECT_TRUE(trouble_with(on({0}), {card(0), card(1)}, {lost(0), lost(1)}).gpus.empty());
  EXPECT_TRUE(trouble_with(on({0}), {card(0)}, {}).gpus.empty());
  EXPECT_TRUE(trouble_with(on({0}), {}, {card(0), card(1)}).gpus.empty());
}

TEST(OtherCards, ItsGoodOnesStayWhereTheyAreAndThenAllOthers) {
  const std::vector<GpuUse> now{card(0), lost(1), card(2), card(3)};
  EXPECT_EQ(other_cards(ask({0, 1}, {1}, now)), (Sets{{0, 2}, {2, 3}}));
  EXPECT_EQ(other_cards(ask({1, 0}, {1}, now)), (Sets{{2, 0}, {2, 3}}));
}

// Blamed by the failure's cause, though the driver has nothing against it.
TEST(OtherCards, OneThatIsBlamedDoesNotStay) {
  const std::vector<GpuUse> now{card(0), card(1), card(2), card(3)};
  EXPECT_EQ(other_cards(ask({0, 1}, {1}, now)), (Sets{{0, 2}, {2, 3}}));
  EXPECT_EQ(other_cards(ask({0, 1}, {0, 1}, now)), (Sets{{2, 3}}));
}

TEST(OtherCards, NotThoseOfOthersNorThoseThatAreUsed) {
  const std::vector<GpuUse> now{lost(0), card(1), card(2, gib(9)), card(3)};
  EXPECT_EQ(other_cards(ask({0}, {0}, now, {1})), (Sets{{3}}));
  EXPECT_EQ(other_cards(ask({0}, {0}, now, {1, 3})), Sets{});
  EXPECT_EQ(other_cards(ask({0}, {0}, {lost(0), lost(1)})), Sets{});
}

TEST(OtherCards, AllOfOneKind) {
  const std::vector<GpuUse> now{card(0), lost(1), card(2, mib(400), "T4", gib(16)), card(3)};
  EXPECT_EQ(other_cards(ask({0, 1}, {1}, now)), (Sets{{0, 3}}));
  EXPECT_EQ(other_cards(ask({1}, {1}, now, {0, 3})), (Sets{{2}})) << "`check` says whether it fits";
  const std::vector<GpuUse> mixed{lost(0), lost(1), card(2), card(3, mib(400), "A100", gib(80))};
  EXPECT_EQ(other_cards(ask({0, 1}, {0, 1}, mixed)), Sets{});
}

TEST(OtherCards, TheLaunchSeesThem) {
  const EngineLaunch made = on_cards(on({0, 1}), {2, 3});
  EXPECT_EQ(made.gpus, (std::vector{2, 3}));
  EXPECT_EQ(made.environment.at("CUDA_VISIBLE_DEVICES"), "2,3");
  EXPECT_EQ(made.environment.at("CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
}

TEST(OtherCards, NothingMovesThatCheckHasSomethingAgainstOrDoesNotAnswerFor) {
  auto question = ask({0}, {0}, {lost(0), card(1)});
  EXPECT_FALSE(launch_elsewhere(question));
  question.program = "/bin/false";  // ends as `check` does where it finds errors
  EXPECT_FALSE(launch_elsewhere(question));
  question.program = "/bin/true";
  EXPECT_TRUE(launch_elsewhere(question));
  const std::atomic<bool> hurry = true;
  question.hurry = &hurry;
  EXPECT_FALSE(launch_elsewhere(question)) << "all goes down";
  question.hurry = nullptr;
  question.program = "/nonexistent";
  question.in_spite_of_errors = true;
  const auto made = launch_elsewhere(question);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->gpus, std::vector{1});
}

}  // namespace
}  // namespace sx
