// Which words are a yes, by who reads them.
#include "knowledge/truth_words.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(TruthWords, EachReaderHasItsOwn) {
  EXPECT_EQ(truth_as("one", "1"), true);
  EXPECT_EQ(truth_as("one", "true"), std::nullopt);
  EXPECT_EQ(truth_as("true", "1"), std::nullopt);
  EXPECT_EQ(truth_as("true", " TRUE "), true);
  EXPECT_EQ(truth_as("sglang", "y"), true);
  EXPECT_EQ(truth_as("sglang", "on"), std::nullopt);
  EXPECT_EQ(truth_as("hub", "ON"), true);
  EXPECT_EQ(truth_as("manifest", "no"), false);
  EXPECT_EQ(truth_as("nobody", "1"), std::nullopt);
  EXPECT_EQ(truth_as("sglang", ""), std::nullopt);
}

TEST(TruthWords, LlamaCppComparesExactly) {
  EXPECT_EQ(truth_as("llamacpp", "enabled"), true);
  EXPECT_EQ(truth_as("llamacpp", "On"), std::nullopt);
  EXPECT_EQ(truth_as("llamacpp", "off "), std::nullopt);
}

TEST(TruthWords, OfAVariableAreThoseItIsReadWith) {
  EXPECT_EQ(variable_truth("vllm", "VLLM_USE_MODELSCOPE", "1"), std::nullopt);
  EXPECT_EQ(variable_truth("vllm", "VLLM_USE_MODELSCOPE", "True"), true);
  EXPECT_EQ(variable_truth("vllm", "VLLM_ALLOW_LONG_MAX_MODEL_LEN", "1"), true);
  EXPECT_EQ(variable_truth("vllm", "VLLM_NO_USAGE_STATS", "true"), std::nullopt);
  EXPECT_EQ(variable_truth("sglang", "SGLANG_USE_MODELSCOPE", "yes"), true);
  EXPECT_EQ(variable_truth("sglang", "NO_SUCH_VARIABLE", "0"), false);
}

}  // namespace
}  // namespace sx
