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

}  // namespace
}  // namespace sx
