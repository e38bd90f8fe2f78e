// Which replica is chosen, and why.
#include "gateway/choice.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace sx {
namespace {

const auto kNow = GatewayClock::time_point(std::chrono::hours(1));

RouteCandidate able(std::uint64_t load = 0) {
  RouteCandidate one;
  one.takes = one.serves = true;
  one.load = load;
  return one;
}

RouteChoice choose(const std::vector<RouteCandidate>& all, std::size_t turn,
                   GatewayClock::time_point now) {
  return sx::choose(all, {.key = {}, .remembered = -1, .turn = turn, .now = now});
}

TEST(Choice, EqualsTakeTurns) {
  const std::vector<RouteCandidate> three{able(), able(), able()};
  std::map<int, int> count;
  std::size_t turn = 0;
  for (int i = 0; i < 30; ++i) {
    const RouteChoice choice = choose(three, turn, kNow);
    EXPECT_EQ(choice.why, "turn");
    ++count[choice.index];
    turn = static_cast<std::size_t>(choice.index) + 1;
  }
  EXPECT_EQ(count, (std::map<int, int>{{0, 10}, {1, 10}, {2, 10}}));
}

TEST(Choice, TheLeastWorkWins) {
  for (std::size_t turn = 0; turn < 3; ++turn) {
    const RouteChoice choice = choose({able(5), able(3), able(9)}, turn, kNow);
    EXPECT_EQ(choice.index, 1);
    EXPECT_EQ(choice.why, "load");
  }
}

TEST(Choice, ThoseThatMayNotAreLeftOut) {
  std::vector<RouteCandidate> three{able(), able(), able(7)};
  three[0].takes = false;
  three[1].serves = false;
  EXPECT_EQ(choose(three, 0, kNow).index, 2);
  EXPECT_EQ(choose(three, 0, kNow).why, "only");
  three[2].tried = true;
  EXPECT_EQ(choose(three, 0, kNow).index, -1);
  EXPECT_EQ(choose({}, 3, kNow).index, -1);
}

TEST(Choice, OneThatFailedRestsWhileOthersAreThere) {
  std::vector<RouteCandidate> two{able(0), able(100)};
  two[0].rests = kNow + std::chrono::seconds(1);
  EXPECT_EQ(choose(two, 0, kNow).index, 1);
  two[1].rests = kNow + std::chrono::seconds(1);
  EXPECT_EQ(choose(two, 0, kNow).index, 0);
  EXPECT_EQ(choose(two, 0, kNow).why, "resting");
  EXPECT_EQ(choose(two, 0, kNow + std::chrono::seconds(2)).why, "load");
}

TEST(Choice, ASecondTryIsAFailover) {
  std::vector<RouteCandidate> two{able(0), able(100)};
  two[0].tried = true;
  EXPECT_EQ(choose(two, 0, kNow).index, 1);
  EXPECT_EQ(choose(two, 0, kNow).why, "failover");
}

TEST(Choice, LongerBodiesCostMore) {
  EXPECT_GT(request_cost(100'000), 10 * request_cost(100));
  EXPECT_GT(request_cost(0), 0U);
}

std::vector<RouteCandidate> eight() {
  std::vector<RouteCandidate> all(8, able());
  for (int i = 0; i < 8; ++i) all[static_cast<std::size_t>(i)].replica = i;
  return all;
}

RouteAsk keyed(KeyKind kind, int remembered = -1, std::uint64_t tokens = 0) {
  return {.key = {.kind = kind, .hash = 77, .order = 77, .tokens = tokens},
          .remembered = remembered,
          .now = kNow};
}

TEST(Choice, AConversationStaysWithinAShareOfTheWork) {
  auto all = eight();
  for (RouteCandidate& one : all) one.load = 20'000;
  const int home = sx::choose(all, keyed(KeyKind::Prefix)).index;
  EXPECT_EQ(sx::choose(all, keyed(KeyKind::Prefix)).why, "prefix");
  auto& busy = all[static_cast<std::size_t>(home)];
  busy.load = 25'900;  // 1.249 of the mean: one that is there stays, a new one does not begin
  EXPECT_EQ(sx::choose(all, keyed(KeyKind::Prefix, home)).index, home);
  const RouteChoice elsewhere = sx::choose(all, keyed(KeyKind::Prefix));
  EXPECT_NE(elsewhere.index, home);
  EXPECT_EQ(elsewhere.why, "spill");
  busy.load = 40'000;
  const RouteChoice left = sx::choose(all, keyed(KeyKind::Prefix, home));
  EXPECT_NE(left.index, home);
  EXPECT_EQ(left.why, "spill");
  EXPECT_EQ(sx::choose(all, keyed(KeyKind::Session, home)).index, home);
  EXPECT_EQ(sx::choose(all, keyed(KeyKind::Session, home)).why, "session");
  busy.load = 60'000;
  EXPECT_NE(sx::choose(all, keyed(KeyKind::Session, home)).index, home);
}

TEST(Choice, ALongConversationStaysLongerThanAShortOne) {
  auto all = eight();
  for (RouteCandidate& one : all) one.load = 20'000;
  all[3].load = 50'000;
  EXPECT_NE(sx::choose(all, keyed(KeyKind::Prefix, 3, 1000)).index, 3);
  EXPECT_EQ(sx::choose(all, keyed(KeyKind::Prefix, 3, 8000)).index, 3);
  all[3].load = 90'000;  // nobody's cache is worth any queue
  EXPECT_NE(sx::choose(all, keyed(KeyKind::Prefix, 3, 8000)).index, 3);
}

TEST(Choice, LittleWorkMovesNobody) {
  auto all = eight();
  const int home = sx::choose(all, keyed(KeyKind::Prefix)).index;
  all[static_cast<std::size_t>(home)].load = 6000;  // all the others have nothing
  EXPECT_EQ(sx::choose(all, keyed(KeyKind::Prefix, home, 1500)).index, home);
}

TEST(Choice, ANewConversationBeginsWhereThereIsRoom) {
  auto all = eight();
  const int home = sx::choose(all, keyed(KeyKind::Prefix)).index;
  for (RouteCandidate& one : all) one.load = 20'000;
  const int free = (home + 3) % 8;
  all[static_cast<std::size_t>(free)].load = 9000;  // less than half of the mean
  EXPECT_EQ(sx::choose(all, keyed(KeyKind::Prefix)).index, free);
  all[static_cast<std::size_t>(free)].load = 11'000;
  all[static_cast<std::size_t>(home)].load = 18'000;  // no more than its share
  EXPECT_EQ(sx::choose(all, keyed(KeyKind::Prefix)).index, home);
}

TEST(Choice, WhoKnowsTheInstructionsComesBeforeTheOrder) {
  auto all = eight();
  const int home = sx::choose(all, keyed(KeyKind::Prefix)).index;
  const int other = (home + 3) % 8, third = (home + 5) % 8;
  RouteAsk ask = keyed(KeyKind::Prefix);
  ask.holders = {other, third};
  all[static_cast<std::size_t>(third)].load = 10;
  EXPECT_EQ(sx::choose(all, ask).index, other);
  EXPECT_EQ(sx::choose(all, ask).why, "prefix");
  all[static_cast<std::size_t>(other)].load = 20;  // the less loaded of the two
  EXPECT_EQ(sx::choose(all, ask).index, third);
  all[static_cast<std::size_t>(third)].takes = false;
  EXPECT_EQ(sx::choose(all, ask).index, other);
  all[static_cast<std::size_t>(other)].takes = false;
  EXPECT_EQ(sx::choose(all, ask).index, home);
}

TEST(Choice, ALimitIsThatOfTheRequest) {
  auto all = eight();
  for (RouteCandidate& one : all) one.load = 20'000;
  RouteAsk ask = keyed(KeyKind::Prefix, 3, 1744);
  ask.holders = {4, -1};
  EXPECT_EQ(load_limit(all, all[3], ask), 28'000U);  // its share and 4 times 2000
  EXPECT_EQ(load_limit(all, all[4], ask), 25'000U);  // 1.25 times its share
  EXPECT_EQ(load_limit(all, all[5], ask), 20'000U);  // to begin there
  EXPECT_EQ(load_limit(all, all[5], keyed(KeyKind::Session)), 40'000U);
}

TEST(Choice, FullOnesArePassedOverAndSaidToBeFull) {
  std::vector<RouteCandidate> two{able(0), able(100)};
  two[0].most = two[0].in_flight = 4;
  EXPECT_EQ(choose(two, 0, kNow).index, 1);
  two[1].full = kNow + std::chrono::seconds(3);
  EXPECT_EQ(choose(two, 0, kNow).index, -1);
  EXPECT_TRUE(choose(two, 0, kNow).full);
  EXPECT_EQ(choose(two, 0, kNow + std::chrono::seconds(3)).index, 1);
  two[0].takes = two[1].takes = false;
  EXPECT_FALSE(choose(two, 0, kNow).full);
}

TEST(Choice, AnAnswerIsGoneOnFromWhereItLies) {
  auto all = eight();
  for (RouteCandidate& one : all) one.load = 1000;
  all[5].load = 900'000;
  all[5].full = kNow + std::chrono::seconds(9);
  EXPECT_EQ(sx::choose(all, keyed(KeyKind::Response, 5)).index, 5);
  EXPECT_EQ(sx::choose(all, keyed(KeyKind::Response, 5)).why, "response");
  all[5].takes = false;
  EXPECT_NE(sx::choose(all, keyed(KeyKind::Response, 5)).index, 5);
}

TEST(Choice, WeightsShareTheWork) {
  auto all = eight();
  all[2].weight = 4;
  for (RouteCandidate& one : all) one.load = 1000;
  all[2].load = 3900;
  EXPECT_EQ(choose(all, 0, kNow).index, 2);
  all[2].load = 4100;
  EXPECT_NE(choose(all, 0, kNow).index, 2);
}

}  // namespace
}  // namespace sx
