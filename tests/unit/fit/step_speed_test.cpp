// A stage takes as long as its layers one by one, whichever stand beside one another: nothing that
// is worked out once for layers that are alike may pass to one that is not.
#include "fit/step_speed.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "speed_machines.h"

namespace sx {
namespace {

// One model whose layers differ in everything that layers can differ in.
ModelSplit motley() {
  auto split = split_of(testing::experts_30b(), "", {.tensor = 2, .dense = 2, .expert_cut = 2}, 2);
  EXPECT_TRUE(split);
  if (!split) return {};
  split->shape.width = 9000;
  split->shape.q_lora = 1536;
  split->shape.kv_lora = 512;
  split->shape.qk_nope = 128;
  split->shape.qk_rope = 64;
  split->shape.v_head = 128;
  split->shape.linear_key_heads = 16;
  split->shape.linear_value_heads = 48;
  split->shape.linear_key_dim = split->shape.linear_value_dim = 128;
  split->wide = {.every = 6, .head_dim = 512, .kv_heads = 2};
  split->window = 1024;
  split->state_bytes = 1e6;
  return *std::move(split);
}

constexpr std::array kClasses{
    LayerClass{.kind = LayerKind::Full, .count = 3, .token_bytes = 2048},
    LayerClass{.kind = LayerKind::Sliding, .count = 5, .token_bytes = 2048},
    LayerClass{.kind = LayerKind::Full, .wide = true, .count = 2, .token_bytes = 4096},
    LayerClass{.kind = LayerKind::Full, .experts = true, .count = 4, .token_bytes = 2048},
    LayerClass{.kind = LayerKind::Linear, .experts = true, .count = 7},
    LayerClass{.kind = LayerKind::Full, .latent = true, .count = 2, .token_bytes = 1152}};

SpeedStage stage_of(std::vector<LayerClass> classes) {
  const Gpu gpu = testing::gpu_named("NVIDIA A100-SXM4-80GB");
  const auto card = card_speed(gpu, 2);
  EXPECT_TRUE(card);
  SpeedStage stage;
  stage.classes = std::move(classes);
  if (card) stage.card = *card;
  return stage;
}

TEST(StepSpeed, LayersCostTheSameBesideAnyOthers) {
  const ModelSplit split = motley();
  const auto engine = engine_speed("vllm");
  ASSERT_TRUE(engine);
  const auto decode = [&](const SpeedStage& stage) {
    const StepLoad load{.sequences = 8, .length = 3000, .all_sequences = 8, .input = 2000};
    return step(split, stage, *engine, load).seconds;
  };
  const auto read = [&](const SpeedStage& stage) {
    return prefill(split, stage, *engine, {.length = 5000, .chunk = 2048}).seconds;
  };
  for (const LayerClass& a : kClasses) {
    for (const LayerClass& b : kClasses) {
      const SpeedStage both = stage_of({a, b}), first = stage_of({a}), second = stage_of({b});
      const double drawn = decode(first) + decode(second), whole = read(first) + read(second);
      EXPECT_NEAR(decode(both), drawn, 1e-9 * drawn);
      EXPECT_NEAR(read(both), whole, 1e-9 * whole);
    }
  }
}

}  // namespace
}  // namespace sx
