// Which of several settings counts.
#include "read/settings.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(LastSetting, ALaterOneHidesTheEarlier) {
  const std::vector<Setting> environment{
      {.name = "A", .value = "1", .span = {}},
      {.name = "B", .value = "2", .span = {}},
      {.name = "A", .value = "$X", .span = {}, .complete = false}};
  const Setting* found = last_setting(environment, "A");
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(found->complete);
  EXPECT_EQ(last_setting(environment, "B")->value, "2");
  EXPECT_EQ(last_setting(environment, "C"), nullptr);
  EXPECT_EQ(last_setting({}, "A"), nullptr);
}

}  // namespace
}  // namespace sx
