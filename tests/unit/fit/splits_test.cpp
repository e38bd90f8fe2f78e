// Each reason against a split, good beside bad.
#include "fit/splits.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

Fact<int> of(int value) { return {value, Origin::Config}; }

// Qwen2.5-72B.
ModelSpec dense() {
  ModelSpec m;
  m.layers = of(80);
  m.hidden_size = of(8192);
  m.heads = of(64);
  m.kv_heads = of(8);
  m.head_dim = of(128);
  m.intermediate_size = of(29'568);
  m.vocab_size = of(152'064);
  return m;
}

// Qwen3-235B-A22B.
ModelSpec experts() {
  ModelSpec m = dense();
  m.kv_heads = of(4);
  m.intermediate_size = of(12'288);
  m.experts = of(128);
  m.experts_per_token = of(8);
  m.expert_width = of(1536);
  return m;
}

void quantise(ModelSpec& m, Quantisation quantisation) {
  m.quantisation = {std::move(quantisation), Origin::Config};
}

SplitAsk ask(int tensor, int pipeline = 1) {
  return {.layout = {.tensor = tensor, .pipeline = pipeline}};
}

std::vector<SplitKind> kinds(const ModelSpec& model, const SplitAsk& question) {
  std::vector<SplitKind> all;
  for (const SplitProblem& problem : split_problems(model, question)) all.push_back(problem.kind);
  return all;
}
using Kinds = std::vector<SplitKind>;

TEST(Splits, SixRanksCutHeadsAndKvHeads) {
  const auto problems = split_problems(dense(), ask(6));
  ASSERT_EQ(problems.size(), 2U) << "29568 and the padded vocabulary both divide by six";
  EXPECT_EQ(problems[0].kind, SplitKind::Heads);
  EXPECT_EQ(problems[0].size, 64);
  EXPECT_EQ(problems[0].parts, 6);
  EXPECT_EQ(problems[0].left, 4);
  EXPECT_EQ(problems[1].kind, SplitKind::KvHeads);
  EXPECT_EQ(problems[1].left, 2);
}

TEST(Splits, PowersOfTwoAreFine) {
  EXPECT_EQ(tensor_sizes(dense(), {}, 16), (std::vector<int>{1, 2, 4, 8, 16}));
}

TEST(Splits, UnknownFactsRaiseNothing) {
  EXPECT_TRUE(split_problems(ModelSpec{}, ask(7, 3)).empty());
}

TEST(Splits, KvHeadsAreSharedOutOrCopiedOrRefused) {
  ModelSpec m = dense();
  m.kv_heads = of(2);
  EXPECT_TRUE(split_problems(m, ask(8)).empty());
  SplitAsk strict = ask(8);
  strict.replicates_kv_heads = false;
  EXPECT_EQ(kinds(m, strict), Kinds{SplitKind::KvHeads});
  m.kv_heads = of(3);
  EXPECT_EQ(kinds(m, ask(4)), Kinds{SplitKind::KvHeads});
  m.kv_lora = of(512);
  EXPECT_TRUE(split_problems(m, ask(4)).empty()) << "a latent cache is whole on each rank";
}

TEST(Splits, VocabularyIsPaddedBeforeItIsCut) {
  ModelSpec m = dense();
  m.vocab_size = of(49'155);
  EXPECT_TRUE(split_problems(m, ask(2)).empty());
  m.heads = of(60);
  m.kv_heads = of(60);
  m.intermediate_size = of(30'000);
  EXPECT_EQ(kinds(m, ask(5)), Kinds{SplitKind::Vocabulary});
}

TEST(Splits, WidthsOfMlpExpertAndSharedExpert) {
  ModelSpec m = dense();
  m.intermediate_size = of(29'569);
  EXPECT_EQ(kinds(m, ask(2)), Kinds{SplitKind::Width});
  m = experts();
  m.intermediate_size = of(12'289);
  EXPECT_TRUE(split_problems(m, ask(2)).empty()) << "no layer has a dense MLP";
  m.dense_layers_first = of(3);
  EXPECT_EQ(kinds(m, ask(2)), Kinds{SplitKind::Width});
  m = experts();
  m.expert_width = of(1537);
  EXPECT_EQ(kinds(m, ask(2)), Kinds{SplitKind::ExpertWidth});
  SplitAsk whole = ask(2);
  whole.layout.expert = true;
  EXPECT_TRUE(split_problems(m, whole).empty());
  m = experts();
  m.shared_expert_width = of(513);
  EXPECT_EQ(kinds(m, ask(2)), Kinds{SplitKind::SharedWidth});
}

TEST(Splits, ExpertWidthGoesOverDataRanksToo) {
  ModelSpec m = experts();
  m.expert_width = of(1538);
  SplitAsk question = ask(2);
  question.layout.data = 2;
  EXPECT_EQ(kinds(m, question), Kinds{SplitKind::ExpertWidth});
  EXPECT_EQ(split_problems(m, question).front().parts, 4);
  question.expert_group = ExpertGroup::Tensor;
  EXPECT_TRUE(split_problems(m, question).empty());
  question = ask(2, 2);
  question.expert_group = ExpertGroup::World;
  EXPECT_EQ(kinds(m, question), Kinds{SplitKind::ExpertWidth});
}

TEST(Splits, LinearHeadsAndVisionHeads) {
  ModelSpec m = dense();
  m.linear_key_heads = of(12);
  m.linear_value_heads = of(32);
  EXPECT_EQ(kinds(m, ask(8)), Kinds{SplitKind::LinearHeads});
  m = dense();
  m.vision.heads = of(12);
  EXPECT_EQ(kinds(m, ask(8)), Kinds{SplitKind::VisionHeads});
  SplitAsk whole = ask(8);
  whole.whole_vision_tower = true;
  EXPECT_TRUE(split_problems(m, whole).empty());
}

TEST(Splits, GroupsOfFourBitWeightsAreWhole) {
  ModelSpec m = dense();
  quantise(m, {.method = "awq", .bits = 4, .group_size = 128});
  const auto problems = split_problems(m, ask(2));
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].kind, SplitKind::QuantGroup);
  EXPECT_EQ(problems[0].size, 14'784);
  EXPECT_EQ(problems[0].unit, 128);
  EXPECT_EQ(problems[0].left, 64);
  EXPECT_EQ(problems[0].tensor, "down_proj input");
  m.intermediate_size = of(29'696);
  EXPECT_EQ(tensor_sizes(m, {}, 8), (std::vector<int>{1, 2, 4, 8}));
  quantise(m, {.method = "gptq", .bits = 4, .group_size = -1});
  EXPECT_TRUE(split_problems(m, ask(8)).empty()) << "one group a column is never cut";
}

TEST(Splits, TilesOfTheMarlinKernel) {
  ModelSpec m = dense();
  m.intermediate_size = of(64 * 4 * 15);  // 960 a rank: whole groups of 32, no whole tile of 128
  quantise(m, {.method = "gptq", .bits = 4, .group_size = 32});
  EXPECT_EQ(kinds(m, ask(4)), Kinds{SplitKind::MarlinTile});
  SplitAsk other = ask(4);
  other.marlin = false;
  EXPECT_TRUE(split_problems(m, other).empty());
}

TEST(Splits, BlocksOfFp8AreWhole) {
  ModelSpec m = experts();
  quantise(m, {.method = "fp8", .bits = 8, .block_rows = 128, .block_columns = 128});
  EXPECT_TRUE(split_problems(m, ask(4)).empty());
  const auto problems = split_problems(m, ask(8));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].kind, SplitKind::Fp8Block);
  EXPECT_EQ(problems[0].size, 192);
  EXPECT_EQ(problems[0].left, 64);
  SplitAsk question = ask(8);
  question.layout.expert = true;
  EXPECT_TRUE(split_problems(m, question).empty());
  question = ask(8);
  question.smallest_expert_block = 32;
  EXPECT_TRUE(split_problems(m, question).empty()) << "blocks of 64 divide 192 and 128";
  m = dense();
  m.intermediate_size = of(25'600);
  quantise(m, {.method = "fp8", .bits = 8, .block_rows = 128, .block_columns = 128});
  EXPECT_TRUE(split_problems(m, ask(8)).empty());
  EXPECT_EQ(kinds(m, ask(16)), (Kinds{SplitKind::Fp8Block, SplitKind::Fp8Block}))
      << "outputs of gate_up, inputs of down_proj";
}

TEST(Splits, BlocksOfNarrowKvHeads) {
  ModelSpec m = dense();
  m.intermediate_size = of(32'768);
  m.head_dim = of(64);
  quantise(m, {.method = "fp8", .bits = 8, .block_rows = 128, .block_columns = 128});
  EXPECT_TRUE(split_problems(m, ask(4)).empty());
  const auto problems = split_problems(m, ask(8));
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].tensor, "k_proj and v_proj output");
}

TEST(Splits, ModulesKeptIn16BitHaveNoGroups) {
  ModelSpec m = dense();
  Quantisation quantisation{.method = "compressed-tensors", .bits = 4, .group_size = 128};
  quantisation.kept = {"re:.*mlp.*"};
  quantise(m, quantisation);
  EXPECT_TRUE(split_problems(m, ask(2)).empty());
  quantisation.kept = {"model.layers.0.mlp.down_proj", "re:.*mlp.gate$", "re:.*visual.*mlp.*"};
  quantise(m, quantisation);
  EXPECT_FALSE(split_problems(m, ask(2)).empty());
}

TEST(Splits, MoreRanksThanExperts) {
  ModelSpec m = experts();
  m.experts = of(4);
  SplitAsk question = ask(8);
  EXPECT_TRUE(split_problems(m, question).empty());
  question.expert_limit = true;
  EXPECT_EQ(kinds(m, question), Kinds{SplitKind::ExpertCount});
}

TEST(Splits, StagesAndPartitions) {
  EXPECT_EQ(kinds(dense(), ask(1, 81)), Kinds{SplitKind::Layers});
  SplitAsk question = ask(1, 3);
  question.layout.partition = {40, 40};
  EXPECT_EQ(kinds(dense(), question), Kinds{SplitKind::Partition});
  question.layout.partition = {20, 20, 20};
  const auto problems = split_problems(dense(), question);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].size, 60);
  EXPECT_EQ(problems[0].parts, 80);
  question.layout.partition = {20, 30, 30};
  EXPECT_TRUE(split_problems(dense(), question).empty());
}

TEST(Splits, NonsenseIsPassedOver) {
  EXPECT_TRUE(split_problems(dense(), ask(0)).empty());
  ModelSpec m = dense();
  m.heads = of(0);
  m.kv_heads = of(-8);
  m.intermediate_size = of(-1);
  EXPECT_TRUE(split_problems(m, ask(8)).empty());
}

}  // namespace
}  // namespace sx
