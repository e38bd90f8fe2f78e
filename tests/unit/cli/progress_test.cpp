// The line that moves while files are read.
#include "cli/progress.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;

TEST(ProgressLine, ShowsPartRateAndWhatIsLeft) {
  EXPECT_EQ(progress_line(14 * kGib, 28 * kGib, 7, 100, Language::English),
            "[############............] 50 %  14.0 GiB of 28.0 GiB, 2.0 GiB/s, 7 s left");
  EXPECT_EQ(progress_line(14 * kGib, 28 * kGib, 7, 100, Language::Chinese),
            "[############............] 50 %  14.0 GiB / 28.0 GiB，2.0 GiB/s，剩余 7 秒");
}

TEST(ProgressLine, HasNoRateAtTheBeginning) {
  EXPECT_EQ(progress_line(0, 28 * kGib, 0.01, 100, Language::English),
            "[........................] 0 %  0 B of 28.0 GiB");
}

TEST(ProgressLine, IsNumbersAloneWhereItIsNarrow) {
  EXPECT_EQ(progress_line(kGib, kGib, 1, 50, Language::English),
            "100 %  1.0 GiB of 1.0 GiB, 1.0 GiB/s, 0 s left");
}

TEST(ProgressLine, SurvivesOddNumbers) {
  EXPECT_EQ(progress_line(5, 0, 0, 50, Language::English), "100 %  5 B of 0 B");
  EXPECT_NE(progress_line(3 * kGib, kGib, 1, 50, Language::English), "");
}

}  // namespace
}  // namespace sx
