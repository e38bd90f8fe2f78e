// Percentiles, their spread, and what counts as a difference.
#include "run/bench_figures.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sx {
namespace {

Figure of(std::vector<double> slices) {
  Figure figure;
  figure.slices = std::move(slices);
  return figure;
}

// Requests that begin every tenth of a second, each with 11 tokens of `tpot` seconds.
LoadTold told_of(double ttft, double tpot, int count = 100) {
  LoadTold told{.samples = {}, .seconds = 10};
  for (int i = -10; i < count; ++i) {
    LoadSample one{.began = i * 0.1,
                   .tokens = 11,
                   .prompt_tokens = 7,
                   .counted_by_engine = true,
                   .failure = ""};
    one.first = one.began + ttft * (1 + (i % 7) * 0.01);
    one.last = one.first + tpot * 10;
    told.samples.push_back(one);
  }
  told.slice_tokens.fill(220);
  return told;
}

TEST(BenchFigures, APercentileIsAValueThatWasSeen) {
  EXPECT_EQ(percentile({}, 0.5), std::nullopt);
  EXPECT_EQ(percentile({3}, 0.99), 3);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.9), 4);
}

TEST(BenchFigures, WhatBeganInTheWarmUpDoesNotCount) {
  const BenchFigures figures = figures_of({}, told_of(0.2, 0.01));
  EXPECT_EQ(figures.in_warm_up, 10);
  EXPECT_EQ(figures.measured, 100);
  EXPECT_EQ(figures.failed, 0);
  EXPECT_NEAR(*figures.ttft_ms.p50, 206, 1);
  EXPECT_NEAR(*figures.tpot_ms.p50, 10, 0.01);
  EXPECT_LE(*figures.ttft_ms.p50, *figures.ttft_ms.p90);
  EXPECT_LE(*figures.ttft_ms.p90, *figures.ttft_ms.p99);
  EXPECT_EQ(figures.ttft_ms.slices.size(), kLoadSlices);
  EXPECT_DOUBLE_EQ(*figures.output_tok_s.mean, 110);
  EXPECT_EQ(figures.prompt_mean, 7);
  EXPECT_TRUE(figures.counted_by_engine);
}

TEST(BenchFigures, FailuresAreCountedByKindAndNothingElse) {
  LoadTold told = told_of(0.2, 0.01);
  for (int i = 20; i < 30; ++i) told.samples[static_cast<std::size_t>(i)].failure = "status 429";
  const BenchFigures figures = figures_of({}, told);
  EXPECT_EQ(figures.measured, 90);
  EXPECT_EQ(figures.failed, 10);
  EXPECT_EQ(figures.failures, (std::map<std::string, std::int64_t>{{"status 429", 10}}));
}

TEST(BenchFigures, WithoutAnAnswerThereAreNoFiguresRatherThanNoughts) {
  LoadTold told = told_of(0.2, 0.01, 0);
  const BenchFigures figures = figures_of({}, told);
  EXPECT_EQ(figures.measured, 0);
  EXPECT_EQ(figures.ttft_ms.p50, std::nullopt);
  EXPECT_EQ(figures.output_tok_s.mean, std::nullopt);
  EXPECT_NE(figures_json(figures, "1").find("\"p50\":null"), std::string::npos);
}

TEST(BenchFigures, AreTheSameAfterTheFile) {
  const BenchFigures figures = figures_of({.model = "m"}, told_of(0.2, 0.01));
  const auto read = read_figures(figures_json(figures, "1"));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_DOUBLE_EQ(*read->ttft_ms.p90, *figures.ttft_ms.p90);
  EXPECT_DOUBLE_EQ(*read->output_tok_s.mean, *figures.output_tok_s.mean);
  EXPECT_EQ(read->ttft_ms.slices.size(), figures.ttft_ms.slices.size());
  EXPECT_EQ(read->users, figures.users);
  EXPECT_TRUE(different_conditions(*read, figures).empty());
}

TEST(BenchFigures, AFileThatIsNoneIsRefused) {
  const std::string good = figures_json(figures_of({.model = "m"}, told_of(0.2, 0.01)), "1");
  for (std::size_t cut = 0; cut < good.size(); cut += 37)
    EXPECT_FALSE(read_figures(good.substr(0, cut)));
  for (const char* text : {"{}", "[]", R"({"schema":"sextant.bench/2"})"})
    EXPECT_FALSE(read_figures(text)) << text;
}

TEST(BenchDifference, FollowsTheSpread) {
  const Figure calm = of({100, 101, 99, 100, 100});
  EXPECT_EQ(difference_of(calm, of({120, 121, 119, 120, 120}), true), Difference::Worse);
  EXPECT_EQ(difference_of(calm, of({120, 121, 119, 120, 120}), false), Difference::Better);
  EXPECT_EQ(difference_of(calm, of({80, 81, 79, 80, 80}), true), Difference::Better);
  // As far apart, but neither is sure of itself.
  EXPECT_EQ(difference_of(of({60, 140, 100, 80, 120}), of({80, 160, 120, 100, 140}), true),
            Difference::None);
  EXPECT_EQ(difference_of(calm, calm, true), Difference::None);
  // Sure, and too little to care.
  EXPECT_EQ(difference_of(of({100, 100, 100}), of({100.5, 100.5, 100.5}), true), Difference::None);
  EXPECT_EQ(difference_of(of({100, 100}), calm, true), Difference::Unknown);
  EXPECT_EQ(difference_of(of({}), of({}), true), Difference::Unknown);
}

TEST(LoadPrompt, IsTheSameForTheSameSeedAndOtherwiseNot) {
  EXPECT_EQ(load_prompt(1, 2, 3, 50), load_prompt(1, 2, 3, 50));
  EXPECT_NE(load_prompt(1, 2, 3, 50), load_prompt(2, 2, 3, 50));
  EXPECT_NE(load_prompt(1, 2, 3, 50), load_prompt(1, 3, 3, 50));
  EXPECT_NE(load_prompt(1, 2, 3, 50), load_prompt(1, 2, 4, 50));
  const std::string prompt = load_prompt(1, 2, 3, 50);
  EXPECT_EQ(std::ranges::count(prompt, ' '), 49);
}

}  // namespace
}  // namespace sx
