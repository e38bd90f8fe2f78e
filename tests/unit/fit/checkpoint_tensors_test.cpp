// Tensors of a checkpoint by kinds: what is alike is counted, what is not stays apart.
#include "fit/checkpoint_tensors.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

ModelSpec model_of(const std::vector<TensorInfo>& tensors) {
  ModelSpec model;
  model.tensors = tensors;
  return model;
}

TensorInfo tensor(const std::string& name, std::int64_t rows, std::int64_t columns) {
  TensorInfo made;
  made.name = name;
  made.dtype = "BF16";
  made.shape = {rows, columns};
  made.bytes = Bytes{2 * rows * columns};
  return made;
}

TEST(CheckpointTensors, LayersThatAreAlikeAreOneKindAndTheirExpertsOneCount) {
  std::vector<TensorInfo> tensors{tensor("model.embed_tokens.weight", 100, 8)};
  for (const std::string layer : {"0", "1", "2"}) {
    const std::string front = "model.layers." + layer + '.';
    tensors.push_back(tensor(front + "self_attn.q_proj.weight", 8, 8));
    tensors.push_back(tensor(front + "self_attn.k_proj.weight", 4, 8));
    for (const std::string expert : {"0", "1", "2", "3"})
      tensors.push_back(tensor(front + "mlp.experts." + expert + ".down_proj.weight", 8, 16));
  }
  tensors.push_back(tensor("model.layers.2.mlp.experts.4.down_proj.weight", 8, 32));
  const ModelSpec model = model_of(tensors);
  Shape shape;
  shape.layers = 3;
  const CheckpointTensors all = checkpoint_tensors(model, shape);
  EXPECT_EQ(all.layers, (std::vector<std::size_t>{0, 0, 1}));
  ASSERT_EQ(all.kinds.size(), 2U);
  ASSERT_EQ(all.kinds[0].size(), 2U);     // query with key, and experts
  EXPECT_EQ(all.kinds[0][0].size(), 2U);  // of two sizes
  ASSERT_EQ(all.kinds[0][1].size(), 1U);
  EXPECT_EQ(all.kinds[0][1][0].count, 4);
  ASSERT_EQ(all.kinds[1][1].size(), 2U);  // the larger one beside them
  EXPECT_EQ(all.kinds[1][1][0].count, 4);
  EXPECT_EQ(all.kinds[1][1][1].count, 1);
  ASSERT_EQ(all.beside.size(), 1U);
}

// Looked for one after the other these take minutes.
TEST(CheckpointTensors, FiftyThousandThatDifferAreReadAtOnce) {
  constexpr int kMany = 50'000;
  std::vector<TensorInfo> tensors;
  for (int i = 0; i < kMany; ++i) {
    const std::string number = std::to_string(i);
    tensors.push_back(tensor("model.layers.0.x" + number + ".weight", 1, 1));
    tensors.push_back(tensor("model.layers.1.mlp.experts." + number + ".w2.weight", i + 1, 1));
  }
  const ModelSpec model = model_of(tensors);
  Shape shape;
  shape.layers = 2;
  const CheckpointTensors all = checkpoint_tensors(model, shape);
  ASSERT_EQ(all.kinds.size(), 2U);
  EXPECT_EQ(all.kinds[0].size(), static_cast<std::size_t>(kMany));
  ASSERT_EQ(all.kinds[1].size(), 1U);
  EXPECT_EQ(all.kinds[1][0].size(), static_cast<std::size_t>(kMany));
}

}  // namespace
}  // namespace sx
