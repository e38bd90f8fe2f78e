// Each row of the built-in catalogue becomes a model.
#include "gather/model_catalogue.h"

#include <gtest/gtest.h>

#include "fit/weights.h"
#include "unit/gather/model_made.h"

namespace sx {
namespace {

ModelSpec row_of(const std::string& id) {
  const ModelMatch match = match_model(id);
  return match.row ? model_from_row(*match.row, id) : ModelSpec{};
}

TEST(ModelCatalogue, EachRowConverts) {
  int with_shape = 0;
  for (const std::string_view id : model_ids()) {
    const ModelSpec m = row_of(std::string(id));
    ASSERT_EQ(m.from, ModelFrom::Catalogue) << id;
    EXPECT_EQ(m.id, id);
    EXPECT_TRUE(m.generates.known()) << id;
    const bool shape = m.layers.known() && m.hidden_size.known() && m.heads.known();
    with_shape += shape ? 1 : 0;
    if (shape) {
      EXPECT_GE(m.layers.value(), 1) << id;
      EXPECT_GE(m.heads.value(), 1) << id;
    }
    if (m.layer_pattern.known()) {
      EXPECT_EQ(m.layer_types.size(), static_cast<std::size_t>(m.layers.value())) << id;
    }
    if (m.is_moe()) {
      EXPECT_TRUE(m.expert_width.known()) << id;
    }
    if (m.max_positions.known()) {
      EXPECT_GE(m.max_positions.value(), Tokens{512}) << id;
    }
    EXPECT_FALSE(m.heads.span()) << id;
    EXPECT_FALSE(m.needs_remote_code.known()) << id;
  }
  EXPECT_GT(with_shape, 200);
}

// A shape read wrongly (experts in layers that have none, an output head of its own) makes an error
// of a launch that fits.
TEST(ModelCatalogue, WeightsAreAsManyAsTheParameters) {
  int compared = 0;
  for (const std::string_view id : model_ids()) {
    const ModelSpec m = row_of(std::string(id));
    if (!m.parameters_billion.known() || !m.layers.known() || m.is_quantised() ||
        !m.generates.value_or(true)) {
      continue;
    }
    WeightsAsk ask;
    ask.layout.tensor = 1;
    ask.stage_layers = {m.layers.value()};
    const auto weights = rank_weights(m, ask);
    if (weights.empty()) continue;
    const double expected = m.parameters_billion.value() * 2e9;
    const auto bytes = static_cast<double>(weights.front().bytes.count());
    EXPECT_GT(bytes, 0.85 * expected) << id;
    EXPECT_LT(bytes, 1.2 * expected + 3e8) << id;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(ModelCatalogue, FamiliesOfUnlikeLayersHaveNoFormula) {
  for (const char* id :
       {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nvidia/Llama-3_3-Nemotron-Super-49B-v1"}) {
    const ModelSpec m = row_of(id);
    ASSERT_TRUE(m.layers.known()) << id;
    WeightsAsk ask;
    ask.stage_layers = {m.layers.value()};
    EXPECT_TRUE(rank_weights(m, ask).empty()) << id;
  }
}

TEST(ModelCatalogue, RowsOfMostKinds) {
  const ModelSpec dense = row_of("Qwen/Qwen2.5-72B-Instruct");
  EXPECT_EQ(shape_of(dense), "80x8192 64/8x128 29568 152064");
  EXPECT_EQ(context_of(dense), "32768 - 32768 window 0");
  EXPECT_EQ(experts_of(dense), "0/0x0+0 0");
  EXPECT_EQ(quant_of(dense), "none");
  EXPECT_EQ(told(dense.qkv_bias), "yes");
  EXPECT_FALSE(dense.siblings.empty());
  const ModelSpec latent = row_of("deepseek-ai/DeepSeek-V3");
  EXPECT_EQ(shape_of(latent), "61x7168 128/128x192 18432 129280");
  EXPECT_EQ(experts_of(latent), "256/8x2048+2048 3");
  EXPECT_EQ(quant_of(latent), "fp8 8 block 128x128");
  EXPECT_TRUE(latent.is_mla());
  const ModelSpec hybrid = row_of("Qwen/Qwen3-Next-80B-A3B-Instruct");
  EXPECT_TRUE(hybrid.is_linear_hybrid());
  EXPECT_EQ(hybrid.layer_types.size(), 48U);
  EXPECT_EQ(told(hybrid.gated_query), "yes");
  const ModelSpec windows = row_of("google/gemma-3-4b-it");
  EXPECT_EQ(context_of(windows), "131072 linear 131072 window 1024");
  EXPECT_EQ(quant_of(row_of("openai/gpt-oss-20b")), "mxfp4 4 group 32");
  EXPECT_EQ(told(row_of("Qwen/Qwen-Image").generates), "no");
}

TEST(ModelCatalogue, WhatARowLacksIsUnknownWithAReason) {
  const ModelSpec m = row_of("Qwen/Qwen-Image");
  EXPECT_EQ(reason_of(m.vocab_size.why_unknown()),
            "the built-in catalogue does not have vocab_size for this model");
}

}  // namespace
}  // namespace sx
