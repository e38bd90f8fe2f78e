// Names of layouts and layers of stages.
#include "fit/layout.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(LayoutLabel, NamesWhatIsMoreThanOne) {
  EXPECT_EQ(Layout{}.label(), "TP1");
  EXPECT_EQ((Layout{.tensor = 4}).label(), "TP4");
  EXPECT_EQ((Layout{.tensor = 2, .pipeline = 3}).label(), "TP2 x PP3");
  EXPECT_EQ((Layout{.tensor = 2, .data = 3}).label(), "TP2 x DP3");
  EXPECT_EQ((Layout{.tensor = 8, .expert = true}).label(), "TP8 + EP");
}

TEST(LayoutLabel, GpusAreTheProduct) {
  const Layout layout{.tensor = 2, .pipeline = 3, .data = 2};
  EXPECT_EQ(layout.gpus_a_replica(), 6);
  EXPECT_EQ(layout.gpus(), 12);
}

struct Stages {
  int layers;
  std::vector<int> expected;
};
class RestBeforeLast : public testing::TestWithParam<Stages> {};
TEST_P(RestBeforeLast, GivesTheLastStageNothingExtra) {
  const auto& [layers, expected] = GetParam();
  EXPECT_EQ(stage_layers(layers, static_cast<int>(expected.size()), StageRule::RestBeforeLast),
            expected);
}
INSTANTIATE_TEST_SUITE_P(
    Counts, RestBeforeLast,
    testing::Values(Stages{80, {27, 27, 26}}, Stages{64, {21, 22, 21}}, Stages{28, {9, 10, 9}},
                    Stages{48, {16, 16, 16}}, Stages{61, {31, 30}}, Stages{61, {15, 15, 16, 15}},
                    Stages{80, {13, 13, 13, 14, 14, 13}}, Stages{62, {10, 10, 10, 11, 11, 10}},
                    Stages{94, {31, 32, 31}}, Stages{5, {5}}, Stages{2, {0, 1, 1, 0}}));

TEST(StageLayers, OldRuleGivesTheLastAll) {
  EXPECT_EQ(stage_layers(80, 3, StageRule::RestToLast), (std::vector<int>{26, 26, 28}));
}

TEST(StageLayers, NoStagesNoLayers) {
  EXPECT_TRUE(stage_layers(80, 0, StageRule::RestBeforeLast).empty());
}

}  // namespace
}  // namespace sx
