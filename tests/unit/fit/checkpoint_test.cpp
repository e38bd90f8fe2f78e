// Sums over tensor headers, and contradictions between them and the config.
#include "fit/checkpoint.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TensorInfo tensor(std::string name, std::vector<std::int64_t> shape, std::string dtype = "BF16") {
  std::int64_t bytes = dtype == "F32" ? 4 : 2;
  for (const std::int64_t size : shape) bytes *= size;
  return {.name = std::move(name),
          .dtype = std::move(dtype),
          .shape = std::move(shape),
          .bytes = Bytes{bytes}};
}

// One layer of 64 wide states, 4 heads and 2 KV heads of 16.
ModelSpec small() {
  ModelSpec model;
  model.model_type = {"qwen2", Origin::Config};
  model.weight_format = {"safetensors", Origin::Header};
  model.layers = {1, Origin::Config};
  model.hidden_size = {64, Origin::Config};
  model.vocab_size = {320, Origin::Config};
  model.heads = {4, Origin::Config};
  model.kv_heads = {2, Origin::Config};
  model.head_dim = {16, Origin::Config};
  model.intermediate_size = {128, Origin::Config};
  model.experts = {0, Origin::Default};
  model.files = {{.path = "model.safetensors"}};
  model.tensors = {tensor("model.embed_tokens.weight", {320, 64}),
                   tensor("model.layers.0.self_attn.q_proj.weight", {64, 64}),
                   tensor("model.layers.0.self_attn.k_proj.weight", {32, 64}),
                   tensor("model.layers.0.mlp.gate_proj.weight", {128, 64}),
                   tensor("model.norm.weight", {64}, "F32")};
  return model;
}

TEST(Checkpoint, SumsByTypeAndPart) {
  const auto types = sums_by_dtype(small());
  ASSERT_EQ(types.size(), 2U);
  EXPECT_EQ(types[0].dtype, "BF16");
  EXPECT_EQ(types[0].sum.tensors, 4);
  EXPECT_EQ(types[1].sum.bytes, Bytes{256});
  Bytes all;
  for (const PartSum& part : sums_by_part(small())) all += part.sum.bytes;
  EXPECT_EQ(all, types[0].sum.bytes + types[1].sum.bytes);
}

TEST(Checkpoint, AgreesWithItsConfig) { EXPECT_TRUE(shape_conflicts(small()).empty()); }

struct Wrong {
  const char* what;
  void (*change)(ModelSpec&);
  std::int64_t in_config, in_file;
};
class Contradiction : public testing::TestWithParam<Wrong> {};
TEST_P(Contradiction, IsFound) {
  ModelSpec model = small();
  GetParam().change(model);
  const auto conflicts = shape_conflicts(model);
  ASSERT_EQ(conflicts.size(), 1U);
  EXPECT_EQ(conflicts[0].what, GetParam().what);
  EXPECT_EQ(conflicts[0].in_config, GetParam().in_config);
  EXPECT_EQ(conflicts[0].in_file, GetParam().in_file);
}
INSTANTIATE_TEST_SUITE_P(
    Sizes, Contradiction,
    testing::Values(
        Wrong{"vocab_size", [](ModelSpec& m) { m.vocab_size = {321, Origin::Config}; }, 321, 320},
        Wrong{"hidden_size", [](ModelSpec& m) { m.hidden_size = {128, Origin::Config}; }, 128, 64},
        Wrong{"num_key_value_heads x head_dim",
              [](ModelSpec& m) { m.kv_heads = {4, Origin::Config}; }, 64, 32},
        Wrong{"intermediate_size", [](ModelSpec& m) { m.intermediate_size = {96, Origin::Config}; },
              96, 128},
        Wrong{"num_hidden_layers", [](ModelSpec& m) { m.layers = {2, Origin::Config}; }, 2, 1}));

TEST(Checkpoint, PackedTensorsAndUnlikeLayersPromiseNothing) {
  ModelSpec packed = small();
  for (TensorInfo& one : packed.tensors) one.dtype = "I32";
  packed.hidden_size = {128, Origin::Config};
  EXPECT_TRUE(shape_conflicts(packed).empty());
  ModelSpec unlike = small();
  unlike.layers = {2, Origin::Config};
  unlike.heads = {8, Origin::Config};
  unlike.tensors.push_back(tensor("model.layers.1.self_attn.q_proj.weight", {256, 64}));
  EXPECT_TRUE(shape_conflicts(unlike).empty());
}

TEST(Checkpoint, MissingFilesAreNoMissingLayers) {
  ModelSpec model = small();
  model.layers = {2, Origin::Config};
  model.files.push_back({.path = "b", .state = FileState::Missing});
  EXPECT_TRUE(shape_conflicts(model).empty());
}

TEST(Checkpoint, NamesThatOccurTwice) {
  ModelSpec model = small();
  EXPECT_TRUE(tensors_twice(model).empty());
  for (int i = 0; i < 2; ++i) model.tensors.push_back(tensor("model.norm.weight", {64}));
  EXPECT_EQ(tensors_twice(model), std::vector<std::string>{"model.norm.weight"});
}

}  // namespace
}  // namespace sx
