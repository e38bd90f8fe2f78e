// Names of tensors, and weights by headers against weights by formula.
#include "fit/weights.h"

#include <gtest/gtest.h>

#include "fit/shape.h"
#include "unit/fit/named_tensors.h"

namespace sx {
namespace {

using Part = TensorPlace::Part;

struct Name {
  const char* name;
  Sharding sharding;
  int layer;
  Part part;
};
class TensorNames : public testing::TestWithParam<Name> {};
TEST_P(TensorNames, SayHowTheyAreSplit) {
  const auto& [name, sharding, layer, part] = GetParam();
  const TensorPlace place = place_of_tensor(name);
  EXPECT_EQ(place.sharding, sharding) << name;
  EXPECT_EQ(place.layer, layer) << name;
  EXPECT_EQ(place.part, part) << name;
}
INSTANTIATE_TEST_SUITE_P(
    Families, TensorNames,
    testing::Values(
        Name{"model.embed_tokens.weight", Sharding::Vocabulary, -1, Part::Embedding},
        Name{"lm_head.weight", Sharding::Vocabulary, -1, Part::Head},
        Name{"model.norm.weight", Sharding::Replicated, -1, Part::FinalNorm},
        Name{"model.layers.7.self_attn.q_proj.weight", Sharding::Columns, 7, Part::Layer},
        Name{"model.layers.7.self_attn.q_proj.bias", Sharding::Columns, 7, Part::Layer},
        Name{"model.layers.7.self_attn.k_proj.weight", Sharding::KvColumns, 7, Part::Layer},
        Name{"model.layers.7.self_attn.o_proj.weight", Sharding::Rows, 7, Part::Layer},
        Name{"model.layers.7.self_attn.q_norm.weight", Sharding::Replicated, 7, Part::Layer},
        Name{"model.layers.7.self_attn.qkv_proj.weight", Sharding::FusedQkv, 7, Part::Layer},
        Name{"model.layers.7.mlp.gate_up_proj.weight", Sharding::Columns, 7, Part::Layer},
        Name{"model.layers.0.mlp.down_proj.qweight", Sharding::Rows, 0, Part::Layer},
        Name{"model.layers.0.mlp.down_proj.qzeros", Sharding::Rows, 0, Part::Layer},
        Name{"model.layers.0.mlp.down_proj.weight_scale_inv", Sharding::Rows, 0, Part::Layer},
        Name{"model.layers.3.mlp.experts.17.gate_proj.weight", Sharding::ExpertColumns, 3,
             Part::Layer},
        Name{"model.layers.3.mlp.experts.17.down_proj.weight", Sharding::ExpertRows, 3,
             Part::Layer},
        Name{"model.layers.3.block_sparse_moe.experts.5.w1.weight", Sharding::ExpertColumns, 3,
             Part::Layer},
        Name{"model.layers.3.block_sparse_moe.experts.5.w2.weight", Sharding::ExpertRows, 3,
             Part::Layer},
        Name{"model.layers.3.block_sparse_moe.gate.weight", Sharding::Replicated, 3, Part::Layer},
        Name{"model.layers.3.mlp.gate.e_score_correction_bias", Sharding::Replicated, 3,
             Part::Layer},
        Name{"model.layers.3.mlp.shared_experts.up_proj.weight", Sharding::Columns, 3, Part::Layer},
        Name{"model.layers.3.mlp.shared_expert_gate.weight", Sharding::Replicated, 3, Part::Layer},
        Name{"model.layers.3.mlp.experts.gate_up_proj_blocks", Sharding::ExpertColumns, 3,
             Part::Layer},
        Name{"model.layers.3.mlp.experts.down_proj_scales", Sharding::ExpertRows, 3, Part::Layer},
        Name{"model.layers.3.self_attn.sinks", Sharding::Columns, 3, Part::Layer},
        Name{"model.layers.3.self_attn.kv_a_proj_with_mqa.weight", Sharding::Replicated, 3,
             Part::Layer},
        Name{"model.layers.3.self_attn.kv_b_proj.weight", Sharding::Columns, 3, Part::Layer},
        Name{"model.layers.3.self_attn.indexer.wq_b.weight", Sharding::Replicated, 3, Part::Layer},
        Name{"model.layers.3.linear_attn.in_proj_qkvz.weight", Sharding::Columns, 3, Part::Layer},
        Name{"model.layers.3.linear_attn.A_log", Sharding::Columns, 3, Part::Layer},
        Name{"model.layers.3.linear_attn.out_proj.weight", Sharding::Rows, 3, Part::Layer},
        Name{"model.language_model.layers.3.self_attn.v_proj.weight", Sharding::KvColumns, 3,
             Part::Layer},
        Name{"language_model.lm_head.weight", Sharding::Vocabulary, -1, Part::Head},
        Name{"visual.blocks.3.attn.qkv.weight", Sharding::Columns, -1, Part::Vision},
        Name{"visual.blocks.3.norm1.weight", Sharding::Replicated, -1, Part::Vision},
        Name{"mtp.layers.0.mlp.down_proj.weight", Sharding::Rows, 0, Part::Draft},
        Name{"transformer.h.5.self_attention.query_key_value.weight", Sharding::FusedQkv, 5,
             Part::Layer},
        Name{"transformer.h.5.self_attention.dense.weight", Sharding::Rows, 5, Part::Layer},
        Name{"transformer.h.5.mlp.dense_h_to_4h.weight", Sharding::Columns, 5, Part::Layer},
        Name{"transformer.word_embeddings.weight", Sharding::Vocabulary, -1, Part::Embedding},
        Name{"transformer.encoder.layers.5.self_attention.query_key_value.weight",
             Sharding::FusedQkv, 5, Part::Layer},
        Name{"transformer.embedding.word_embeddings.weight", Sharding::Vocabulary, -1,
             Part::Embedding},
        Name{"transformer.output_layer.weight", Sharding::Vocabulary, -1, Part::Head},
        Name{"model.decoder.layers.1.fc1.weight", Sharding::Columns, 1, Part::Layer},
        Name{"model.decoder.embed_positions.weight", Sharding::Replicated, -1, Part::Embedding},
        Name{"model.layers.1.attention.wqkv.weight", Sharding::FusedQkv, 1, Part::Layer},
        Name{"model.layers.1.feed_forward.w3.weight", Sharding::Columns, 1, Part::Layer},
        Name{"model.layers.1.something.new.weight", Sharding::Unknown, 1, Part::Layer},
        Name{"who.knows", Sharding::Unknown, -1, Part::Other},
        Name{"", Sharding::Unknown, -1, Part::Other},
        Name{"model.layers.99999999999999999999.x.weight", Sharding::Unknown, -1, Part::Other}));

Fact<int> of(int value) { return {value, Origin::Config}; }

// Qwen2.5-7B.
ModelSpec model() {
  ModelSpec m;
  m.model_type = {"qwen2", Origin::Config};
  m.layers = of(28);
  m.hidden_size = of(3584);
  m.heads = of(28);
  m.kv_heads = of(4);
  m.head_dim = of(128);
  m.intermediate_size = of(18'944);
  m.vocab_size = of(152'064);
  m.config_positions = {32'768, Origin::Config};
  m.tied_embeddings = {false, Origin::Config};
  m.qkv_bias = {true, Origin::Config};
  return m;
}

ModelSpec with_headers() {
  ModelSpec m = model();
  for (int layer = 0; layer < 28; ++layer) {
    const std::string at = "model.layers." + std::to_string(layer) + ".";
    add_tensor(m, at + "self_attn.q_proj.weight", {3584, 3584});
    add_tensor(m, at + "self_attn.q_proj.bias", {3584});
    for (const char* name : {"k_proj", "v_proj"}) {
      add_tensor(m, at + "self_attn." + name + ".weight", {512, 3584});
      add_tensor(m, at + "self_attn." + name + ".bias", {512});
    }
    add_tensor(m, at + "self_attn.o_proj.weight", {3584, 3584});
    for (const char* name : {"gate_proj", "up_proj"})
      add_tensor(m, at + "mlp." + name + ".weight", {18'944, 3584});
    add_tensor(m, at + "mlp.down_proj.weight", {3584, 18'944});
    for (const char* name : {"input_layernorm", "post_attention_layernorm"})
      add_tensor(m, at + name + ".weight", {3584});
  }
  add_tensor(m, "model.embed_tokens.weight", {152'064, 3584});
  add_tensor(m, "lm_head.weight", {152'064, 3584});
  add_tensor(m, "model.norm.weight", {3584});
  return m;
}

WeightsAsk ask(int tensor, std::vector<int> stages) {
  WeightsAsk question;
  question.layout.tensor = tensor;
  question.layout.pipeline = static_cast<int>(stages.size());
  question.stage_layers = std::move(stages);
  return question;
}

TEST(Weights, HeadersAndFormulaAgree) {
  for (const int tensor : {1, 2, 4}) {
    for (const auto& stages : {std::vector<int>{28}, std::vector<int>{9, 10, 9}}) {
      const auto formula = rank_weights(model(), ask(tensor, stages));
      const auto headers = rank_weights(with_headers(), ask(tensor, stages));
      ASSERT_EQ(formula.size(), stages.size());
      ASSERT_EQ(headers.size(), stages.size());
      for (std::size_t i = 0; i < stages.size(); ++i) {
        EXPECT_EQ(headers[i].origin, Origin::Header);
        const auto off = static_cast<double>((headers[i].bytes - formula[i].bytes).count());
        EXPECT_LT(std::abs(off) / static_cast<double>(formula[i].bytes.count()), 0.001)
            << tensor << " stage " << i;
      }
    }
  }
}

TEST(Weights, UnknownNamesCountOnEveryRank) {
  ModelSpec m = with_headers();
  const auto before = rank_weights(m, ask(4, {28})).front();
  add_tensor(m, "model.layers.3.self_attn.new_thing.weight", {1024, 1024});
  const auto after = rank_weights(m, ask(4, {28})).front();
  EXPECT_EQ(after.bytes - before.bytes, mib(2));
  EXPECT_EQ(rendered(after.notes.back(), Language::English),
            "2.0 MiB with names that are not known count on every rank");
}

TEST(Weights, MissingFilesMakeHeadersUseless) {
  ModelSpec m = with_headers();
  m.files.push_back({.path = "model-00002-of-00004.safetensors", .state = FileState::Missing});
  EXPECT_EQ(rank_weights(m, ask(1, {28})).front().origin, Origin::Formula);
}

TEST(Weights, TiedHeadsAreOneTableUntilThePipelineParts) {
  ModelSpec m = model();
  const Bytes table{152'064LL * 3584 * 2};
  const auto loose = rank_weights(m, ask(1, {28})).front().bytes;
  m.tied_embeddings = {true, Origin::Config};
  EXPECT_NEAR(in_gib(loose - rank_weights(m, ask(1, {28})).front().bytes), in_gib(table), 0.01);
  EXPECT_GT(rank_weights(m, ask(1, {27, 1})).back().bytes, table);
}

TEST(Weights, KvHeadsAreCopiedPastTheirNumber) {
  ModelSpec m = with_headers();
  m.heads = of(32);
  const auto four = rank_weights(m, ask(4, {28})).front().bytes.count();
  const auto eight = rank_weights(m, ask(8, {28})).front().bytes.count();
  EXPECT_GT(eight * 2, four);
}

TEST(Weights, OnlineFp8HalvesMatricesAlone) {
  WeightsAsk question = ask(1, {28});
  for (const ModelSpec& m : {model(), with_headers()}) {
    question.quantization_flag.clear();
    const double whole = in_gib(rank_weights(m, question).front().bytes);
    question.quantization_flag = "fp8";
    const double tables = 2.0 * 152'064 * 3584 * 2 / (1024.0 * 1024 * 1024);
    EXPECT_NEAR(in_gib(rank_weights(m, question).front().bytes), tables + (whole - tables) / 2,
                0.05);
  }
}

TEST(Weights, AGuessedWidthHasAWideBandAndUsesTheParameterCount) {
  ModelSpec m = model();
  const auto known = rank_weights(m, ask(1, {28})).front();
  m.intermediate_size = {};
  m.parameters_billion = {7.6156, Origin::Config};
  const auto guessed = rank_weights(m, ask(1, {28})).front();
  EXPECT_NEAR(in_gib(guessed.bytes), in_gib(known.bytes), 0.05);
  EXPECT_GT(guessed.high - guessed.low, (known.high - known.low) * 3);
}

// Gate, up and down where others have two matrices; one projection where others merge patches.
TEST(Weights, ATowerForPicturesIsCountedAsItsClassBuildsIt) {
  const auto tower = [](const char* type) {
    ModelSpec m = model();
    m.model_type = {type, Origin::Config};
    m.vision.layers = of(32);
    m.vision.hidden_size = of(1280);
    m.vision.intermediate_size = of(3420);
    const auto with = rank_weights(m, ask(1, {28})).front().bytes;
    m.vision = {};
    return (with - rank_weights(m, ask(1, {28})).front().bytes).count();
  };
  const std::int64_t matrix = 32LL * 1280 * 3420 * 2;
  const auto plain = tower("qwen2_vl");
  EXPECT_EQ(tower("qwen2_5_vl") - plain, matrix);
  EXPECT_LT(tower("gemma3_mm"), plain);
}

// Each sixth layer of Gemma 4 has heads twice as wide, of which there are two.
TEST(Weights, WideLayersAreThoseOfTheClass) {
  ModelSpec m = model();
  m.model_type = {"gemma4_text", Origin::Config};
  const auto shape = shape_of(m);
  ASSERT_TRUE(shape);
  const WideLayers wide = wide_layers(*shape);
  EXPECT_EQ(wide.every, 6);
  EXPECT_EQ(wide.head_dim, 512);
  EXPECT_EQ(wide.kv_heads, 2);
  EXPECT_FALSE(wide.has(4));
  EXPECT_TRUE(wide.has(5));
  EXPECT_EQ(wide_layers(*shape_of(model())).every, 0);
}

TEST(Weights, WithoutAShapeThereAreNone) {
  EXPECT_TRUE(rank_weights(ModelSpec{}, ask(1, {28})).empty());
  ModelSpec m = model();
  m.layers = of(2'000'000'000);
  EXPECT_TRUE(rank_weights(m, ask(1, {28})).empty());
}

}  // namespace
}  // namespace sx
