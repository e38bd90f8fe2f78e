// What is worked out once for a model is what would be worked out again: every part of a question
// that changes the answer is in its key.
#include "fit/model_once.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fit/kv.h"
#include "fit/weights.h"
#include "unit/fit/named_tensors.h"

namespace sx {
namespace {

Fact<int> of(int value) { return {value, Origin::Config}; }

// A mixture of experts with a vision tower.
ModelSpec model() {
  ModelSpec m;
  m.model_type = {"qwen3_vl_moe", Origin::Config};
  m.layers = of(12);
  m.hidden_size = of(2048);
  m.heads = of(32);
  m.kv_heads = of(4);
  m.head_dim = of(128);
  m.intermediate_size = of(6144);
  m.experts = of(15);  // no ranks share them evenly
  m.experts_per_token = of(4);
  m.expert_width = of(768);
  m.vocab_size = of(151'937);
  m.config_positions = {40'960, Origin::Config};
  m.tied_embeddings = {false, Origin::Config};
  m.vision.layers = of(8);
  m.vision.hidden_size = of(1152);
  m.vision.heads = of(16);
  return m;
}

ModelSpec with_headers() {
  ModelSpec m = model();
  add_tensor(m, "model.embed_tokens.weight", {151'937, 2048});
  add_tensor(m, "visual.blocks.0.attn.qkv.weight", {3456, 1152});
  for (int layer = 0; layer < 12; ++layer) {
    const std::string at = "model.layers." + std::to_string(layer) + '.';
    add_tensor(m, at + "self_attn.q_proj.weight", {4096, 2048});
    add_tensor(m, at + "self_attn.k_proj.weight", {512, 2048});
    add_tensor(m, at + "self_attn.v_proj.weight", {512, 2048});
    add_tensor(m, at + "self_attn.o_proj.weight", {2048, 4096});
    for (int expert = 0; expert < 15; ++expert) {
      const std::string one = at + "mlp.experts." + std::to_string(expert) + '.';
      add_tensor(m, one + "gate_proj.weight", {768, 2048});
      add_tensor(m, one + "up_proj.weight", {768, 2048});
      // One layer is not like the others.
      add_tensor(m, one + "down_proj.weight", {2048, layer == 7 ? 1536 : 768});
    }
    add_tensor(m, at + "who.knows", {64});
  }
  add_tensor(m, "model.norm.weight", {2048});
  add_tensor(m, "lm_head.weight", {151'937, 2048});
  return m;
}

// Questions that differ from the first one in one thing each.
std::vector<WeightsAsk> asks() {
  const WeightsAsk usual{
      .layout = {}, .stage_layers = {12}, .quantization_flag = {}, .capability = {9, 0}};
  std::vector<WeightsAsk> all{usual};
  const auto but = [&](auto change) {
    all.push_back(usual);
    all.back().layout.tensor = 2;
    change(all.back());
  };
  but([](WeightsAsk&) {});
  but([](WeightsAsk& ask) { ask.layout.tensor = 4; });
  but([](WeightsAsk& ask) { ask.layout.expert = true; });
  but([](WeightsAsk& ask) { ask.layout.data = 2, ask.experts_over_data = true; });
  but([](WeightsAsk& ask) { ask.layout.data = 4, ask.layout.expert = true; });
  but([](WeightsAsk& ask) { ask.layout.prefill_context = 2, ask.layout.expert = true; });
  but([](WeightsAsk& ask) { ask.dtype_bytes = 4; });
  but([](WeightsAsk& ask) { ask.quantization_flag = "fp8"; });
  but([](WeightsAsk& ask) { ask.vocabulary_padding = 512; });
  but([](WeightsAsk& ask) { ask.without_vision = true; });
  but([](WeightsAsk& ask) { ask.whole_vision_tower = true; });
  but([](WeightsAsk& ask) { ask.attention_ranks = 1; });
  but([](WeightsAsk& ask) { ask.stage_layers = {6, 6}; });
  but([](WeightsAsk& ask) { ask.stage_layers = {3, 3, 3, 3}; });
  but([](WeightsAsk& ask) { ask.stage_layers = {5, 4, 3}; });
  but([](WeightsAsk& ask) { ask.layout.data = 2; });  // which alone changes nothing
  return all;
}

void expect_same(const std::vector<RankWeights>& once, const std::vector<RankWeights>& again) {
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].bytes, again[i].bytes);
    EXPECT_EQ(once[i].low, again[i].low);
    EXPECT_EQ(once[i].high, again[i].high);
    EXPECT_EQ(once[i].replicated, again[i].replicated);
    EXPECT_EQ(once[i].origin, again[i].origin);
  }
}

void expect_weights_of_their_own(const ModelSpec& m) {
  std::vector<std::vector<RankWeights>> apart;
  for (const WeightsAsk& ask : asks()) apart.push_back(rank_weights(m, ask));
  const ModelOnce once(m);
  for (int time = 0; time < 2; ++time) {
    for (std::size_t i = 0; i < apart.size(); ++i) {
      SCOPED_TRACE(i);
      expect_same(rank_weights(m, asks()[i]), apart[i]);
    }
  }
  // Each of them changes something, or the test would not see a key without it.
  for (std::size_t i = 2; i + 1 < apart.size(); ++i) {
    const bool same = apart[i].size() == 1 && apart[i].front().bytes == apart[1].front().bytes;
    EXPECT_FALSE(same) << i;
  }
}

TEST(ModelOnce, AnswersByFormulaWhatWouldBeWorkedOutAgain) { expect_weights_of_their_own(model()); }

TEST(ModelOnce, AnswersByHeadersWhatWouldBeWorkedOutAgain) {
  expect_weights_of_their_own(with_headers());
}

// A version keeps other copies of latent attention than the one before, and both are asked of one
// model: what fits, and what the newest would say.
TEST(ModelOnce, CopiesOfLatentAttentionAreOfTheirKind) {
  ModelSpec m = model();
  m.model_type = {"deepseek_v3", Origin::Config};
  m.kv_lora = of(512);
  m.q_lora = of(1536);
  m.qk_nope_dim = of(128);
  m.qk_rope_dim = of(64);
  m.v_head_dim = of(128);
  const WeightsAsk usual{.layout = {}, .stage_layers = {12}, .quantization_flag = {}};
  WeightsAsk products = usual;
  products.latent_products = true;
  const auto apart = rank_weights(m, products);
  const ModelOnce once(m);
  const auto before = rank_weights(m, usual);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_NE(before.front().bytes, apart.front().bytes);
  expect_same(rank_weights(m, products), apart);
}

TEST(ModelOnce, LayersUnlikeOthersHaveTheirOwnBytes) {
  const ModelSpec m = with_headers();
  WeightsAsk ask{.layout = {}, .stage_layers = {6, 1, 1, 1, 1, 2}, .quantization_flag = {}};
  const auto stages = rank_weights(m, ask);
  ASSERT_EQ(stages.size(), 6U);
  EXPECT_EQ(stages[1].bytes, stages[3].bytes);  // layers 6 and 8
  const std::int64_t wider = 15LL * 2048 * 768 * 2;
  constexpr std::int64_t kPiece = 2 * 1024 * 1024;  // that the allocator rounds to
  EXPECT_NEAR(static_cast<double>((stages[2].bytes - stages[1].bytes).count()),
              static_cast<double>(wider), kPiece);
}

TEST(ModelOnce, IsOfItsModelAloneWhileItLives) {
  const ModelSpec one = model();
  ModelSpec other = model();
  other.layers = of(24);
  {
    const ModelOnce once(one);
    EXPECT_EQ(shape_of(one)->layers, 12);
    EXPECT_EQ(pool_model(one).kinds.size(), 12U);
    EXPECT_EQ(shape_of(other)->layers, 24);
    EXPECT_EQ(pool_model(other).kinds.size(), 24U);
    EXPECT_EQ(ModelOnce::of(other), nullptr);
    const ModelOnce again(one);
    EXPECT_EQ(ModelOnce::of(one), &once);
  }
  EXPECT_EQ(ModelOnce::of(one), nullptr);
}

TEST(ModelOnce, MayEndBeforeAYoungerOne) {
  const ModelSpec one = model(), other = model();
  auto first = std::make_unique<ModelOnce>(one);
  const ModelOnce second(other);
  first.reset();
  EXPECT_EQ(ModelOnce::of(one), nullptr);
  EXPECT_EQ(ModelOnce::of(other), &second);
}

TEST(TensorPlaces, AreThoseOfEachNameAlone) {
  TensorPlaces places;
  std::vector<std::string> names;
  for (const char* number : {"0", "7", "11", "007", "999999", "1000000", "99999999999", "x1"}) {
    const std::string n = number;
    for (const std::string& name :
         {"model.layers." + n + ".self_attn.q_proj.weight",
          "model.layers.3.mlp.experts." + n + ".gate_proj.weight",
          "model.layers." + n + ".mlp.experts.5.down_proj.weight_scale_inv",
          "model.layers." + n + ".mlp." + n + ".weight", "model.layers.2.mlp.fc." + n,
          "model.decoder.layers." + n + ".fc1.weight", "model.decoder.layers." + n + ".fc2.weight",
          "transformer.h." + n + ".attn.c_attn.weight", "visual.blocks." + n + ".attn.qkv.weight",
          "mtp.layers." + n + ".mlp.down_proj.weight", "a." + n + ".layers." + n + ".wo.weight",
          "layers.h." + n + ".w1.weight", n, n + ".weight", "who." + n + ".knows"})
      names.push_back(name);
  }
  names.emplace_back();
  names.emplace_back("..");
  for (const std::string& name : names) {
    const TensorPlace one = places.of(name), alone = place_of_tensor(name);
    EXPECT_EQ(one.sharding, alone.sharding) << name;
    EXPECT_EQ(one.layer, alone.layer) << name;
    EXPECT_EQ(one.part, alone.part) << name;
    EXPECT_EQ(one.joined, alone.joined) << name;
    EXPECT_EQ(one.kind, alone.kind) << name;
  }
}

}  // namespace
}  // namespace sx
