// The catalogue of models, its aliases and its quantised siblings.
#include "knowledge/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/strings.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

ModelRow row(std::string_view id) { return match_model(id).row.value_or(ModelRow(99999)); }

TEST(ModelRow, TellsKnownUnknownAndNoneApart) {
  const auto qwen = row("Qwen/Qwen2.5-72B-Instruct");
  EXPECT_EQ(qwen.integer("num_attention_heads"), 64);
  EXPECT_EQ(qwen.integer("num_key_value_heads"), 8);
  EXPECT_EQ(qwen.text("torch_dtype"), "bfloat16");
  EXPECT_EQ(qwen.number("total_params_b"), 72.7062);
  EXPECT_TRUE(qwen.has_none("quant_method"));
  EXPECT_EQ(qwen.text("quant_method"), std::nullopt);
  EXPECT_EQ(qwen.integer("checkpoint_bytes_of_nothing"), std::nullopt);
  const auto kimi = row("moonshotai/Kimi-K2-Instruct");
  EXPECT_EQ(kimi.integer("head_dim"), std::nullopt);
  EXPECT_FALSE(kimi.has_none("head_dim"));
}

TEST(MatchModel, TakesTheIdInAnyCase) {
  EXPECT_EQ(row("qwen/qwen3-8b").id(), "Qwen/Qwen3-8B");
  EXPECT_EQ(match_model("qwen/qwen3-8b").same_shape_as, "");
}

TEST(MatchModel, TakesAnAliasAndSaysSo) {
  const auto match = match_model("meta-llama/Llama-3.1-8B-Instruct");
  ASSERT_TRUE(match.row);
  EXPECT_EQ(match.same_shape_as, "meta-llama/Meta-Llama-3.1-8B");
  EXPECT_EQ(row("meta-llama/Llama-3.1-8B-Instruct").integer("num_key_value_heads"), 8);
}

TEST(MatchModel, AnAliasMayDifferInSomeColumns) {
  const auto later = row("Qwen/Qwen3-235B-A22B-Instruct-2507-FP8");
  EXPECT_EQ(later.integer("max_position_embeddings"), 262144);
  EXPECT_EQ(row("Qwen/Qwen3-235B-A22B-FP8").integer("max_position_embeddings"), 40960);
  EXPECT_EQ(row("moonshotai/Kimi-Dev-72B").integer("max_position_embeddings"), std::nullopt);
  EXPECT_TRUE(row("mistralai/Mistral-7B-Instruct-v0.2").has_none("sliding_window"));
  EXPECT_EQ(row("moonshotai/Kimi-K2-Instruct-0905").text("rope_scaling"),
            "yarn;factor=64.0;orig=4096");
}

TEST(MatchModel, TakesTheLastPartOfOneIdAlone) {
  EXPECT_EQ(match_model("Qwen2.5-72B-Instruct").same_shape_as, "Qwen/Qwen2.5-72B-Instruct");
  EXPECT_EQ(match_model("llama-3.1-8b-instruct").row, std::nullopt);  // two uploads end so
  EXPECT_EQ(match_model("models/Qwen2.5-72B-Instruct").row,
            std::nullopt);  // another owner, or a folder
}

TEST(MatchModel, OffersTheClosest) {
  const auto match = match_model("Qwen/Qwen2.5-72B-Instrct");
  EXPECT_EQ(match.row, std::nullopt);
  ASSERT_FALSE(match.closest_ids.empty());
  EXPECT_EQ(match.closest_ids.front(), "Qwen/Qwen2.5-72B-Instruct");
}

TEST(MatchModel, SurvivesHostileIds) {
  const std::string hostile[] = {
      "",     "/", "\xff\xfe", std::string(10000, 'q'), std::string("a\0b", 3),
      "null", "-", "../../etc"};
  for (const auto& id : hostile) {
    EXPECT_EQ(match_model(id).row, std::nullopt);
    EXPECT_TRUE(quantised_siblings(id).empty());
  }
}

TEST(ModelAliases, NameRowsThatAreThereAndNoRowIsShadowed) {
  const auto all = model_ids();
  const std::set<std::string_view> ids(all.begin(), all.end());
  std::set<std::string> lower_ids;
  for (const auto id : all) EXPECT_TRUE(lower_ids.insert(lower(id)).second) << id;
  const Table models(table_bytes("data/models.tsv"));
  const Table table(table_bytes("data/model_aliases.tsv"));
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto alias = table.cell(i, "alias");
    EXPECT_TRUE(ids.contains(table.cell(i, "id"))) << alias;
    EXPECT_FALSE(lower_ids.contains(lower(alias))) << alias;
    EXPECT_EQ(match_model(alias).same_shape_as, table.cell(i, "id")) << alias;
    if (table.cell(i, "but").empty()) continue;
    for (const auto pair : split(table.cell(i, "but"), ',')) {
      EXPECT_TRUE(models.column(pair.substr(0, pair.find('='))).has_value()) << pair;
    }
  }
}

TEST(ModelCatalogue, HasShapesThatCanBe) {
  EXPECT_GE(model_ids().size(), 227U);
  for (const auto id : model_ids()) {
    SCOPED_TRACE(id);
    const auto model = row(id);
    EXPECT_EQ(model.id(), id);
    const auto heads = model.integer("num_attention_heads");
    const auto kv_heads = model.integer("num_key_value_heads");
    if (heads && kv_heads && *heads > 0) EXPECT_EQ(*heads % *kv_heads, 0);
    for (const char* column :
         {"hidden_size", "num_hidden_layers", "vocab_size", "max_position_embeddings"}) {
      const auto value = model.integer(column);
      if (value) EXPECT_GT(*value, 0) << column;
    }
    const auto layers = model.integer("num_hidden_layers");
    if (layers) EXPECT_LT(*layers, 200);
  }
}

TEST(QuantisedSiblings, AreTheSameFamilyInOtherFormats) {
  const auto siblings = quantised_siblings("Qwen/Qwen2.5-72B-Instruct");
  const std::set<std::string_view> found(siblings.begin(), siblings.end());
  EXPECT_TRUE(found.contains("Qwen/Qwen2.5-72B-Instruct-AWQ"));
  EXPECT_TRUE(found.contains("Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4"));
  EXPECT_FALSE(found.contains("Qwen/Qwen2.5-7B-Instruct-AWQ"));
  EXPECT_FALSE(found.contains("Qwen/Qwen2.5-72B-Instruct"));
  // Of a sibling: the others, and not itself.
  const auto of_awq = quantised_siblings("Qwen/Qwen2.5-72B-Instruct-AWQ");
  EXPECT_EQ(of_awq.size(), siblings.size() - 1);
  for (const auto id : of_awq) EXPECT_TRUE(found.contains(id)) << id;
  EXPECT_TRUE(std::ranges::find(of_awq, "Qwen/Qwen2.5-72B-Instruct-AWQ") == of_awq.end());
  EXPECT_EQ(quantised_siblings("Qwen/Qwen2.5-72B-Instruct"), siblings);  // in whatever order
  const auto of_alias = quantised_siblings("meta-llama/Llama-3.1-70B-Instruct");
  EXPECT_TRUE(std::ranges::find(of_alias, "nvidia/Llama-3.1-70B-Instruct-FP8") != of_alias.end());
}

}  // namespace
}  // namespace sx
