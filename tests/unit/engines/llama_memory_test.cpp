// Where llama.cpp puts layers, and what it does by itself when they do not fit.
#include <gtest/gtest.h>

#include <cstdlib>

#include "engines/llamacpp/memory.h"
#include "unit/engines/vllm_memory_model.h"

namespace sx {
namespace {

template <class T>
Fact<T> asked(T value) {
  return {std::move(value), Origin::Flag};
}

FlagUse flag(const char* name, std::vector<std::string> values = {}) {
  FlagUse use;
  use.name = use.typed = name;
  use.values = std::move(values);
  return use;
}

test::Launch launch(std::string_view model, std::string_view tag, std::string_view card,
                    int cards) {
  auto l = test::launch(model, card, cards, "b11434");
  l.c.serve.engine = "llamacpp";
  l.c.serve.model = asked(std::string(model) + "-GGUF:" + std::string(tag));
  l.c.serve.max_model_len = asked(Tokens{8192});
  return l;
}

LlamaPlacement placement(const test::Launch& l) {
  const auto place = llama_placement(l.c);
  EXPECT_TRUE(place.has_value());
  return place.value_or(LlamaPlacement{});
}

void expect_lines_sum(const Budget& budget) {
  for (const GpuBudget& gpu : budget.gpus) {
    Bytes sum;
    for (const BudgetLine& line : gpu.lines) sum += line.bytes;
    if (gpu.room >= Bytes{0}) EXPECT_EQ(sum, gpu.capacity);
    if (gpu.room < Bytes{0}) EXPECT_GT(sum, gpu.capacity);
    for (const BudgetLine& line : gpu.lines) {
      EXPECT_LE(line.low, line.bytes) << line.name;
      EXPECT_GE(line.high, line.bytes) << line.name;
    }
  }
}

TEST(LlamaPlacement, LayersAreSharedOutByFreeMemory) {
  auto l = launch("Qwen/Qwen2.5-72B-Instruct", "Q4_K_M", "RTX 3090", 2);
  const auto place = placement(l);
  ASSERT_EQ(place.devices.size(), 2U);
  EXPECT_EQ(place.devices[0].layers + place.devices[1].layers, 80 - (81 - place.layers_on_gpus));
  l = launch("Qwen/Qwen2.5-7B-Instruct", "Q4_K_M", "RTX 3090", 2);
  const auto small = placement(l);
  EXPECT_EQ(small.devices[0].layers + small.devices[1].layers, 28);
  EXPECT_NEAR(small.devices[0].layers, 14, 1);
  EXPECT_FALSE(small.devices[0].output);
  EXPECT_TRUE(small.devices[1].output);
  EXPECT_EQ(small.copies, 4);
}

TEST(LlamaPlacement, SharesOfTheUserGoFirst) {
  auto l = launch("Qwen/Qwen2.5-7B-Instruct", "Q8_0", "RTX 3090", 2);
  l.c.serve.tensor_split = asked(std::vector<double>{3, 1});
  const auto place = placement(l);
  EXPECT_EQ(place.devices[0].layers, 22);
  EXPECT_EQ(place.devices[1].layers, 6);
  l.c.serve.split_mode = asked(std::string("none"));
  const auto one = placement(l);
  EXPECT_EQ(one.devices[0].layers, 28);
  EXPECT_EQ(one.devices[1].needed() - one.devices[1].runtime, Bytes{0});
  EXPECT_EQ(one.copies, 1);
}

TEST(LlamaPlacement, LayersCountFromTheBack) {
  auto l = launch("Qwen/Qwen2.5-7B-Instruct", "Q4_K_M", "RTX 3090", 1);
  l.c.serve.gpu_layers = asked(11);
  const auto place = placement(l);
  EXPECT_EQ(place.devices[0].layers, 10);
  EXPECT_TRUE(place.devices[0].output);
  EXPECT_GT(place.host_cache, Bytes{0});
  l.c.serve.gpu_layers = asked(0);
  EXPECT_EQ(placement(l).devices[0].weights, Bytes{0});
}

TEST(LlamaPlacement, RowsKeepTheCacheOnTheMainCard) {
  auto l = launch("Qwen/Qwen2.5-7B-Instruct", "Q8_0", "RTX 3090", 2);
  l.c.serve.split_mode = asked(std::string("row"));
  const auto rows = placement(l);
  EXPECT_GT(rows.devices[0].cache, Bytes{0});
  EXPECT_EQ(rows.devices[1].cache, Bytes{0});
  l.c.serve.split_mode = asked(std::string("tensor"));
  const auto tensor = placement(l);
  EXPECT_EQ(tensor.devices[0].cache, tensor.devices[1].cache);
  EXPECT_EQ(rows.devices[0].cache, tensor.devices[0].cache + tensor.devices[1].cache);
}

TEST(LlamaPlacement, ExpertsStayOnTheHost) {
  auto l = launch("Qwen/Qwen3-30B-A3B", "Q4_K_M", "RTX 4090", 1);
  const auto all = placement(l);
  l.c.serve.flags.push_back(flag("--cpu-moe"));
  const auto none = placement(l);
  EXPECT_LT(none.devices[0].weights, all.devices[0].weights / 4);
  const Bytes moved = none.devices[0].weights + none.host_weights;
  const Bytes whole = all.devices[0].weights + all.host_weights;
  EXPECT_LE(std::abs((moved - whole).count()), 8);  // each sum is rounded to whole bytes
  l.c.serve.flags = {flag("--override-tensor", {"\\.ffn_.*_exps\\.=CPU"})};
  EXPECT_EQ(placement(l).devices[0].weights, none.devices[0].weights);
  l.c.serve.flags = {flag("--n-cpu-moe", {"24"})};
  const auto half = placement(l);
  EXPECT_LT(half.devices[0].weights, all.devices[0].weights);
  EXPECT_GT(half.devices[0].weights, none.devices[0].weights);
}

TEST(LlamaPlacement, AnUnsetContextIsShortenedBeforeLayersMove) {
  auto l = launch("meta-llama/Llama-3.1-8B-Instruct", "Q8_0", "RTX 3090", 1);
  l.c.serve.max_model_len = {};
  l.c.serve.max_num_seqs = asked(4);  // four times the context, each slot its own
  const auto place = placement(l);
  EXPECT_TRUE(place.context_shrunk);
  EXPECT_FALSE(place.layers_moved);
  EXPECT_EQ(place.context.count() % 1024, 0);
  EXPECT_LE(place.devices[0].needed(), place.devices[0].free);
  l.c.serve.flags.push_back(flag("--fit", {"off"}));
  const auto whole = placement(l);
  EXPECT_EQ(whole.context, Tokens{4 * 131'072});
  EXPECT_GT(whole.devices[0].needed(), whole.devices[0].free);
}

TEST(LlamaPlacement, WhatTheUserSetIsNotChanged) {
  auto l = launch("Qwen/Qwen2.5-72B-Instruct", "Q4_K_M", "RTX 3090", 1);
  EXPECT_TRUE(placement(l).layers_moved);
  EXPECT_LT(placement(l).layers_on_gpus, 81);
  l.c.serve.gpu_layers = asked(99);
  const auto place = placement(l);
  EXPECT_FALSE(place.layers_moved);
  EXPECT_GT(place.devices[0].needed(), place.devices[0].free);
}

TEST(LlamaPlacement, OthersMemoryCounts) {
  auto l = launch("Qwen/Qwen2.5-7B-Instruct", "Q8_0", "RTX 3090", 2);
  l.host->gpus[0].used = {gib(16), Origin::Device};
  const auto place = placement(l);
  EXPECT_LT(place.devices[0].layers, place.devices[1].layers);
}

TEST(LlamaBudget, LinesSumAndTokensAreTheContext) {
  auto l = launch("Qwen/Qwen2.5-7B-Instruct", "Q4_K_M", "RTX 3090", 2);
  const auto budget = llama_budget(l.c, Layout{});
  ASSERT_TRUE(budget.has_value());
  expect_lines_sum(*budget);
  EXPECT_EQ(budget->kv_tokens, Tokens{8192});
  EXPECT_EQ(budget->request_tokens, Tokens{8192});
}

TEST(LlamaBudget, ACacheThatDoesNotFitHasFewerTokens) {
  auto l = launch("meta-llama/Llama-3.1-8B-Instruct", "Q8_0", "RTX 3090", 1);
  l.c.serve.gpu_layers = asked(99);
  l.c.serve.max_model_len = asked(Tokens{131'072});
  const auto budget = llama_budget(l.c, Layout{});
  ASSERT_TRUE(budget.has_value());
  expect_lines_sum(*budget);
  EXPECT_LT(budget->kv_tokens, budget->request_tokens);
  EXPECT_GT(budget->kv_tokens, Tokens{60'000});
  l.c.serve.max_model_len = asked(budget->kv_tokens - Tokens{2048});
  const auto fits = llama_budget(l.c, Layout{});
  ASSERT_TRUE(fits.has_value());
  EXPECT_GE(fits->kv_tokens, fits->request_tokens - Tokens{4096});
}

TEST(LlamaBudget, WithoutBitsThereIsNone) {
  auto l = launch("Qwen/Qwen2.5-7B-Instruct", "Q4_K_M", "RTX 3090", 1);
  l.c.serve.model = asked(std::string("Qwen/Qwen2.5-7B-Instruct"));
  EXPECT_FALSE(llama_budget(l.c, Layout{}).has_value());
}

}  // namespace
}  // namespace sx
