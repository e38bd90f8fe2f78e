// What something took, with as many digits as are worth reading, and never half a number.
#include <gtest/gtest.h>

#include "cli/daemon_talk.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

TEST(SecondsTaken, ShortTimesHaveMoreDigits) {
  EXPECT_EQ(seconds_taken(milliseconds(4)), "0.004");
  EXPECT_EQ(seconds_taken(milliseconds(999)), "0.999");
  EXPECT_EQ(seconds_taken(milliseconds(2309)), "2.30");
  EXPECT_EQ(seconds_taken(milliseconds(61'050)), "61.0");
  EXPECT_EQ(seconds_taken(milliseconds(120'003)), "120.0");
  EXPECT_EQ(seconds_taken(milliseconds(-1)), "0.000");
}

}  // namespace
}  // namespace sx
