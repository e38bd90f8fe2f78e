// What classes assume, by type and field.
#include "knowledge/model_classes.h"

#include <gtest/gtest.h>

#include "knowledge/tables.h"

namespace sx {
namespace {

TEST(ModelClasses, SayWhatTheirConfigsLeaveOut) {
  EXPECT_EQ(class_truth("qwen2", "tie_word_embeddings"), false);
  EXPECT_EQ(class_truth("gemma2", "tie_word_embeddings"), true);
  EXPECT_EQ(class_truth("qwen2", "qkv_bias"), true);
  EXPECT_EQ(class_count("gemma3_text", "num_key_value_heads"), 4);
  EXPECT_EQ(class_count("gpt2", "mlp_over_hidden"), 4);
}

TEST(ModelClasses, AStarStandsForAllThatBeginSo) {
  EXPECT_EQ(class_truth("qwen3_5_moe_text", "attn_output_gate"), true);
  EXPECT_EQ(class_truth("qwen3_5", "attn_output_gate"), true);
  EXPECT_EQ(class_truth("qwen3", "attn_output_gate"), std::nullopt);
}

TEST(ModelClasses, WhatHasNoRowIsNotKnown) {
  EXPECT_EQ(class_truth("", "qkv_bias"), std::nullopt);
  EXPECT_EQ(class_truth("no_such_type", "qkv_bias"), std::nullopt);
  EXPECT_EQ(class_count("llama", "no_such_field"), std::nullopt);
  EXPECT_EQ(class_count("qwen2", "qkv_bias"), std::nullopt) << "a word is no number";
  EXPECT_EQ(class_truth("llama", "hidden_size"), std::nullopt) << "a number is no word";
}

TEST(ModelClasses, EveryRowIsAWordOrANumberAndStandsOnce) {
  const Table table(table_bytes("data/model_classes.tsv"));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto value = table.cell(row, "value");
    EXPECT_TRUE(value == "yes" || value == "no" || integer_cell(value).value_or(0) > 0) << row;
    for (std::size_t other = 0; other < row; ++other) {
      EXPECT_FALSE(table.cell(row, "model_type") == table.cell(other, "model_type") &&
                   table.cell(row, "field") == table.cell(other, "field"))
          << row << " and " << other;
    }
  }
}

}  // namespace
}  // namespace sx
