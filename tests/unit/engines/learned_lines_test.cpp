// What was measured takes the place of what was computed, and the list still sums to the capacity.
#include "engines/learned_lines.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

GpuBudget computed() {
  GpuBudget gpu{.gpu = 1, .capacity = gib(40)};
  gpu.lines = {{.name = "weights", .bytes = gib(14), .low = gib(13), .high = gib(15)},
               {.name = "activations", .bytes = gib(1)},
               {.name = "graphs", .bytes = gib(1)},
               {.name = "runtime", .bytes = gib(1)}};
  return gpu;
}

LearnedRun run(std::optional<Bytes> weights, std::optional<Bytes> activations,
               std::optional<Bytes> kv) {
  LearnedRun run;
  run.date = "2026-11-30";
  run.gpus = {{.gpu = 1,
               .weights = weights,
               .activations = activations,
               .graphs = {},
               .runtime = {},
               .kv_cache = kv}};
  return run;
}

// The pool that the list leaves when it is closed.
Bytes pool_of(GpuBudget gpu, Bytes unused) {
  gpu.lines.push_back({.name = "unused", .bytes = unused});
  return balanced(std::move(gpu)).kv_bytes;
}

TEST(LearnedLines, ReplacesTheLineAndItsBand) {
  const GpuBudget gpu = with_learned(computed(), gib(4), run(gib(16), {}, {}));
  EXPECT_EQ(gpu.line("weights")->bytes, gib(16));
  EXPECT_EQ(gpu.line("weights")->high, gib(16));
  EXPECT_EQ(gpu.line("weights")->origin, Origin::Measured);
  EXPECT_EQ(gpu.line("runtime")->bytes, gib(1));
}

TEST(LearnedLines, ThePoolComesOutExactly) {
  const GpuBudget gpu = with_learned(computed(), gib(4), run(gib(16), {}, gib(17)));
  EXPECT_EQ(gpu.line("runtime")->bytes, gib(1));
  EXPECT_EQ(pool_of(gpu, gib(4)), gib(17));
}

TEST(LearnedLines, APeakThatWasTooLargeShrinks) {
  const GpuBudget gpu = with_learned(computed(), gib(4), run(gib(16), {}, gib(18) + mib(512)));
  EXPECT_EQ(gpu.line("runtime")->bytes, Bytes{0});
  EXPECT_EQ(gpu.line("activations")->bytes, mib(512));
  EXPECT_EQ(pool_of(gpu, gib(4)), gib(18) + mib(512));
}

TEST(LearnedLines, NumbersThatContradictEachOtherChangeNothingMore) {
  const GpuBudget gpu = with_learned(computed(), gib(4), run(gib(16), gib(2), gib(30)));
  EXPECT_EQ(gpu.line("activations")->bytes, gib(2));
  EXPECT_EQ(gpu.line("runtime")->bytes, gib(1));
}

TEST(LearnedLines, AnotherGpuIsNotTouched) {
  LearnedRun other = run(gib(16), {}, gib(17));
  other.gpus[0].gpu = 0;
  EXPECT_EQ(with_learned(computed(), gib(4), other).line("weights")->bytes, gib(14));
}

TEST(LearnedLines, DraftWeightsAreAmongThoseMeasured) {
  GpuBudget gpu = computed();
  gpu.lines.push_back({.name = "draft", .bytes = gib(2)});
  EXPECT_EQ(with_learned_lines(gpu, run(gib(16), {}, {})).line("weights")->bytes, gib(14));
}

}  // namespace
}  // namespace sx
