// How far a start is, by those before it.
#include "run/start_times.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

using std::chrono::seconds;

StartTimes start(int begin, int load, int warming) {
  return {{.stage = "begin", .took = seconds(begin)},
          {.stage = "load", .took = seconds(load)},
          {.stage = "warming", .took = seconds(warming)}};
}

TEST(StartTimes, AreTheSameAfterTheJournal) {
  const StartTimes times = start(1, 40, 2);
  EXPECT_EQ(start_words(times), "begin:1000 load:40000 warming:2000");
  EXPECT_EQ(read_start(start_words(times)), times);
  EXPECT_EQ(read_start(""), StartTimes{});
  EXPECT_EQ(read_start("load load:x :7 load:-1 kv:5"), (StartTimes{{"kv", Moment(5)}}));
}

TEST(StartTimes, AClockKeepsTheFirstTimeOfEachStage) {
  StartClock clock(seconds(100));
  clock.reached("load", seconds(103));
  clock.reached("", seconds(104));
  clock.reached("kv", seconds(110));
  clock.reached("load", seconds(111));  // another worker says it late
  EXPECT_EQ(clock.stage(), "kv");
  EXPECT_EQ(start_words(clock.until(seconds(112))), "begin:3000 load:7000 kv:2000");
}

TEST(StartTimes, WithoutAnEarlierStartNobodyKnows) {
  StartClock clock(seconds(0));
  EXPECT_FALSE(outlook({}, clock, -1, seconds(5)));
  EXPECT_FALSE(outlook({StartTimes{}}, clock, 50, seconds(5)));
}

TEST(StartTimes, TheMiddleOfEarlierStartsSaysWhatIsLeft) {
  const std::vector<StartTimes> earlier{start(10, 80, 10), start(10, 800, 10), start(10, 70, 10)};
  StartClock clock(seconds(0));
  clock.reached("load", seconds(12));
  const auto told = outlook(earlier, clock, -1, seconds(52));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->left, seconds(50));  // of 10 + 80 + 10, ten and forty are done
  EXPECT_EQ(told->percent, 50);
}

TEST(StartTimes, TheEnginesOwnBarMayBeAheadOfTheClock) {
  StartClock clock(seconds(0));
  clock.reached("load", seconds(10));
  const auto told = outlook({start(10, 80, 10)}, clock, 75, seconds(11));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->percent, 70);
}

TEST(StartTimes, OneThatTakesLongerStaysBelowAHundredAndNeverGoesBack) {
  StartClock clock(seconds(0));
  int last = -1;
  for (int at = 0; at < 500; ++at) {
    if (at == 20) clock.reached("load", seconds(at));
    if (at == 300) clock.reached("warming", seconds(at));
    const auto told = outlook({start(10, 80, 10)}, clock, -1, seconds(at));
    ASSERT_TRUE(told);
    EXPECT_GE(told->percent, last);
    EXPECT_LE(told->percent, 99);
    EXPECT_GE(told->left, Moment(0));
    last = told->percent;
  }
  EXPECT_EQ(last, 99);
}

TEST(StartTimes, AStageThatEarlierStartsPassedUnseenTakesNothingBack) {
  StartClock clock(seconds(0));
  clock.reached("compile", seconds(9));
  const auto unseen = outlook({start(10, 80, 10)}, clock, -1, seconds(18));
  ASSERT_TRUE(unseen);
  EXPECT_EQ(unseen->percent, 18);
  clock.reached("load", seconds(18));
  const auto after = outlook({start(10, 80, 10)}, clock, -1, seconds(20));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->percent, 18) << "12 by its usual share";
  EXPECT_EQ(after->left, seconds(88));
}

TEST(StartTimes, AStageThatIsNewIsMeasuredByTimeAlone) {
  StartClock clock(seconds(0));
  clock.reached("compile", seconds(10));
  const auto told = outlook({start(10, 80, 10)}, clock, -1, seconds(30));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->percent, 30);
  const auto late = outlook({start(10, 80, 10)}, clock, -1, seconds(300));
  ASSERT_TRUE(late);
  EXPECT_EQ(late->percent, 99);
  EXPECT_EQ(late->left, Moment(0));
}

}  // namespace
}  // namespace sx
