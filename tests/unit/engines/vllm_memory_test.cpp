// What flags, versions and cards do to vLLM's memory, one sentence a test.
#include <gtest/gtest.h>

#include "engines/vllm/memory.h"
#include "unit/engines/vllm_memory_model.h"

namespace sx {
namespace {

constexpr const char* kBig = "Qwen/Qwen2.5-72B-Instruct";
constexpr const char* kSmall = "meta-llama/Meta-Llama-3.1-8B";

Layout of(int tensor, int pipeline = 1) {
  Layout layout;
  layout.tensor = tensor;
  layout.pipeline = pipeline;
  return layout;
}

Budget budget_of(const test::Launch& launch, const Layout& layout = {}) {
  auto budget = vllm_budget(launch.c, layout);
  EXPECT_TRUE(budget.has_value()) << rendered(budget.error().why, Language::English);
  return budget.value_or(Budget{});
}

test::Launch small(std::string_view version = "0.33.0") {
  return test::launch(kSmall, "H100-80GB-HBM3", 1, version);
}

template <class T>
Fact<T> asked(T value) {
  return {value, Origin::Flag};
}

void expect_sum(const Budget& budget) {
  for (const GpuBudget& gpu : budget.gpus) {
    Bytes sum;
    for (const BudgetLine& line : gpu.lines) sum += line.bytes;
    EXPECT_EQ(sum, gpu.capacity) << "GPU " << gpu.gpu;
  }
}

TEST(VllmBudget, SixCardsOfFortyGibTakeTwoByThree) {
  const auto launch = test::launch(kBig, "A100-PCIE-40GB", 6, "0.33.0");
  const Budget budget = budget_of(launch, of(2, 3));
  EXPECT_EQ(budget.kv_tokens, Tokens{220'864});
  EXPECT_EQ(budget.gpus.size(), 6U);
  EXPECT_EQ(budget.gpus[5].stage, 2);
  EXPECT_EQ(budget.gpus[5].rank, 1);
  EXPECT_EQ(budget.max_model_len, Tokens{32'768});
  EXPECT_NEAR(budget.max_concurrency, 6.74, 0.01);
  EXPECT_EQ(budget.longest_possible, Tokens{32'768});
  EXPECT_LE(budget.kv_tokens_low, budget.kv_tokens);
  EXPECT_GE(budget.kv_tokens_high, budget.kv_tokens);
  expect_sum(budget);
}

TEST(VllmBudget, FourOfThemHoldFiveThousandTokens) {
  const auto launch = test::launch(kBig, "A100-PCIE-40GB", 6, "0.33.0");
  const Budget budget = budget_of(launch, of(4));
  EXPECT_EQ(budget.kv_tokens, Tokens{5'168});
  EXPECT_LT(budget.longest_possible, Tokens{5'168}) << "one block is kept free from 0.26 on";
  EXPECT_GE(budget.longest_possible, Tokens{5'136});
  EXPECT_LT(budget.max_concurrency, 1);
  EXPECT_GT(budget.request_tokens, budget.kv_tokens);
}

TEST(VllmBudget, WhatDoesNotFitLeavesNoCacheAndSaysHowMuchIsMissing) {
  const auto launch = test::launch(kBig, "A100-PCIE-40GB", 6, "0.33.0");
  const Budget budget = budget_of(launch, of(2));
  EXPECT_LT(budget.tightest().room, Bytes{0});
  EXPECT_EQ(budget.tightest().kv_bytes, Bytes{0});
  EXPECT_EQ(budget.tightest().line("kv_cache")->bytes, Bytes{0});
  EXPECT_EQ(budget.kv_tokens, Tokens{0});
  EXPECT_EQ(budget.longest_possible, Tokens{0});
}

TEST(VllmBudget, TheFractionIsTheVersionsOwnOrWhatIsAsked) {
  EXPECT_DOUBLE_EQ(budget_of(small("0.19.1")).memory_fraction, 0.90);
  EXPECT_DOUBLE_EQ(budget_of(small("0.20.2")).memory_fraction, 0.92);
  auto launch = small();
  launch.c.serve.memory_fraction = asked(0.5);
  const Budget budget = budget_of(launch);
  const GpuBudget& gpu = budget.gpus.front();
  EXPECT_NEAR(in_gib(gpu.line("unused")->bytes), in_gib(gpu.capacity) / 2, 0.001);
  EXPECT_EQ(gpu.line("unused")->origin, Origin::Flag);
}

struct SchedulerDefault {
  const char* card;
  const char* version;
  std::int64_t tokens;
  int sequences;
};
class SchedulerDefaults : public testing::TestWithParam<SchedulerDefault> {};
TEST_P(SchedulerDefaults, GoByCardAndVersion) {
  const auto& [card, version, tokens, sequences] = GetParam();
  const Budget budget = budget_of(test::launch(kSmall, card, 1, version));
  EXPECT_EQ(budget.max_batched_tokens.count(), tokens);
  EXPECT_EQ(budget.max_num_seqs, sequences);
}
INSTANTIATE_TEST_SUITE_P(Cards, SchedulerDefaults,
                         testing::Values(SchedulerDefault{"H100-80GB-HBM3", "0.33.0", 8192, 1024},
                                         SchedulerDefault{"A100-SXM4-80GB", "0.33.0", 2048, 256},
                                         SchedulerDefault{"A100-SXM4-80GB", "0.8.5", 8192, 1024},
                                         SchedulerDefault{"GeForce-RTX-4090", "0.33.0", 2048, 256},
                                         SchedulerDefault{"B200", "0.33.0", 16384, 1024},
                                         SchedulerDefault{"B200", "0.26.0", 8192, 1024},
                                         SchedulerDefault{"H100-80GB-HBM3", "0.7.3", 2048, 256}));

TEST(VllmBudget, SchedulerDefaultsAreCapped) {
  auto launch = small();
  launch.c.serve.max_model_len = asked(Tokens{512});
  launch.c.serve.max_num_seqs = asked(4);
  EXPECT_EQ(budget_of(launch).max_batched_tokens, Tokens{4 * 512});
  launch = small();
  launch.c.serve.max_batched_tokens = asked(Tokens{100});
  EXPECT_EQ(budget_of(launch).max_num_seqs, 100);
  launch = small();
  launch.c.serve.chunked_prefill = asked(false);
  EXPECT_EQ(budget_of(launch).max_batched_tokens, Tokens{131'072});
}

TEST(VllmBudget, OldEnginesStepByTheContextUpToALimit) {
  auto launch = small("0.7.3");
  launch.c.serve.max_model_len = asked(Tokens{16'384});
  EXPECT_EQ(budget_of(launch).max_batched_tokens, Tokens{16'384});
  launch.c.serve.max_model_len = asked(Tokens{131'072});
  // What a version does by itself is not what a person asks.
  launch.c.serve.chunked_prefill = {false, Origin::Default};
  EXPECT_EQ(budget_of(launch).max_batched_tokens, Tokens{2048});
  launch.c.command.environment.push_back({.name = "VLLM_USE_V1", .value = "1"});
  EXPECT_GE(budget_of(launch).max_batched_tokens, Tokens{2048});
}

TEST(VllmBudget, AModelWithoutATowerHasTheNarrowBand) {
  auto launch = small();
  const auto width = [&] {
    const BudgetLine line = *budget_of(launch).gpus.front().line("activations");
    return line.high - line.low;
  };
  const Bytes narrow = width();
  launch.model->vision.layers = {0, Origin::Config};
  EXPECT_EQ(width(), narrow);
  launch.model->vision.layers = {32, Origin::Config};
  EXPECT_GT(width(), narrow);
}

TEST(VllmBudget, AGivenPoolReplacesTheFraction) {
  auto launch = small();
  launch.c.serve.kv_cache_bytes = asked(gib(10));
  Budget budget = budget_of(launch);
  EXPECT_EQ(budget.gpus.front().kv_bytes, gib(10));
  EXPECT_EQ(budget.gpus.front().room_low, gib(10));
  EXPECT_EQ(budget.kv_tokens.count(), gib(10).count() / 131'072 / 16 * 16);
  expect_sum(budget);
  launch.c.serve.kv_cache_bytes = asked(gib(500));
  budget = budget_of(launch);
  EXPECT_LT(budget.gpus.front().room, Bytes{0}) << "more than the card has is missing";
}

TEST(VllmBudget, NumberFormatsOfTheCacheCount) {
  auto launch = small();
  const auto plain = budget_of(launch).kv_tokens;
  launch.c.serve.kv_dtype = asked(std::string("fp8"));
  EXPECT_NEAR(static_cast<double>(budget_of(launch).kv_tokens.count()),
              2.0 * static_cast<double>(plain.count()), 32);
  launch = small();
  auto quantisation = launch.model->quantisation.value_or({});
  quantisation.method = "fp8";
  quantisation.kv_fp8 = true;
  launch.model->quantisation = {quantisation, Origin::Config};
  EXPECT_EQ(budget_of(launch).gpus.front().bytes_per_token, 65'536);
  launch = small();
  launch.c.serve.dtype = asked(std::string("float32"));
  EXPECT_EQ(budget_of(launch).gpus.front().bytes_per_token, 262'144);
}

TEST(VllmBudget, BlocksAreOfTheSizeAsked) {
  auto launch = small();
  launch.c.serve.block_size = asked(128);
  EXPECT_EQ(budget_of(launch).kv_tokens.count() % 128, 0);
}

TEST(VllmBudget, GraphsAreSubtractedFromTwentyOnUnlessEagerOrToldOtherwise) {
  const auto graphs = [](const Budget& budget) {
    return budget.gpus.front().line("graphs")->bytes;
  };
  EXPECT_EQ(graphs(budget_of(small("0.19.1"))), Bytes{0});
  EXPECT_NEAR(in_gib(graphs(budget_of(small("0.20.2")))), 0.77, 0.01);
  auto launch = small();
  launch.c.serve.enforce_eager = asked(true);
  EXPECT_EQ(graphs(budget_of(launch)), Bytes{0});
  launch = small();
  launch.c.command.environment.push_back(
      {.name = "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", .value = "0"});
  EXPECT_EQ(graphs(budget_of(launch)), Bytes{0});
  launch = small("0.19.1");
  launch.c.command.environment.push_back(
      {.name = "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", .value = "1"});
  EXPECT_GT(graphs(budget_of(launch)), Bytes{0});
}

TEST(VllmBudget, OffloadedWeightsLeaveTheGpu) {
  auto launch = small();
  const auto before = budget_of(launch).gpus.front().line("weights")->bytes;
  launch.c.serve.cpu_offload = asked(gib(4));
  EXPECT_EQ(budget_of(launch).gpus.front().line("weights")->bytes, before - gib(4));
  launch.c.serve.cpu_offload = asked(gib(400));
  EXPECT_EQ(budget_of(launch).gpus.front().line("weights")->bytes, Bytes{0});
}

TEST(VllmBudget, ExpertsMayStayWhole) {
  const auto launch = test::launch("Qwen/Qwen3-235B-A22B", "H100-80GB-HBM3", 8, "0.33.0");
  Layout layout = of(8);
  const auto split = budget_of(launch, layout).gpus.front().line("weights")->bytes;
  layout.expert = true;
  const auto whole = budget_of(launch, layout).gpus.front().line("weights")->bytes;
  EXPECT_NEAR(in_gib(split), in_gib(whole), 0.5) << "128 experts divide by 8 either way";
  layout.data = 2;
  const auto spread = budget_of(launch, layout).gpus.front().line("weights")->bytes;
  EXPECT_LT(in_gib(spread), in_gib(whole) * 0.6) << "over tensor and data ranks together";
}

TEST(VllmBudget, ContextRanksShareTheLatentCache) {
  const auto launch = test::launch("deepseek-ai/DeepSeek-R1", "H200", 8, "0.33.0");
  Layout layout = of(8);
  const auto one = budget_of(launch, layout).kv_tokens.count();
  layout.decode_context = 4;
  EXPECT_EQ(budget_of(launch, layout).kv_tokens.count(), 4 * one);
}

TEST(VllmBudget, PartitionsOfTheUserCount) {
  const auto launch = test::launch(kBig, "A100-PCIE-40GB", 6, "0.33.0");
  Layout layout = of(1, 6);
  layout.partition = {12, 14, 14, 14, 14, 12};
  EXPECT_EQ(vllm_stages(launch.c, layout), layout.partition);
  EXPECT_EQ(budget_of(launch, layout).kv_tokens, Tokens{223'856});
  layout.partition = {40, 40};
  EXPECT_EQ(vllm_stages(launch.c, layout), (std::vector<int>{13, 13, 13, 14, 14, 13}))
      << "one that is refused is passed over";
}

TEST(VllmBudget, OldVersionsGiveTheRestToTheLastStage) {
  const auto launch = test::launch(kBig, "A100-PCIE-40GB", 6, "0.7.3");
  EXPECT_EQ(vllm_stages(launch.c, of(1, 3)), (std::vector<int>{26, 26, 28}));
}

TEST(VllmBudget, ATowerThatIsNotLoadedCostsNothing) {
  auto launch = test::launch("Qwen/Qwen2.5-VL-7B-Instruct", "H100-80GB-HBM3", 1, "0.33.0");
  const auto with = budget_of(launch).gpus.front();
  launch.c.serve.language_model_only = asked(true);
  const auto without = budget_of(launch).gpus.front();
  EXPECT_GT(with.line("weights")->bytes, without.line("weights")->bytes);
  EXPECT_GE(with.line("activations")->bytes, without.line("activations")->bytes);
}

TEST(VllmBudget, AutoTakesTheLongestThatFits) {
  auto launch = test::launch(kBig, "A100-PCIE-40GB", 6, "0.33.0");
  launch.c.serve.max_model_len_auto = asked(true);
  const Budget budget = budget_of(launch, of(4));
  EXPECT_EQ(budget.max_model_len, budget.longest_possible);
  EXPECT_GE(budget.max_concurrency, 1);
}

TEST(VllmBudget, DraftLayersStandOnTheLastStage) {
  auto launch = test::launch("deepseek-ai/DeepSeek-R1", "H200", 16, "0.33.0");
  launch.c.serve.speculative =
      asked(std::string(R"({"method": "deepseek_mtp", "num_speculative_tokens": 1})"));
  const Budget budget = budget_of(launch, of(8, 2));
  EXPECT_EQ(budget.gpus.front().line("draft"), nullptr);
  ASSERT_NE(budget.gpus.back().line("draft"), nullptr);
  EXPECT_GT(in_gib(budget.gpus.back().line("draft")->bytes), 1);
  expect_sum(budget);
  launch.c.serve.speculative = asked(std::string("{not json"));
  expect_sum(budget_of(launch, of(8, 2)));
}

TEST(VllmBudget, EachGpuIsJudgedByItsOwnSize) {
  HostSpec host = test::equal_cards("A100-PCIE-40GB", 6);
  host.gpus[5].usable = host.gpus[5].usable_low = host.gpus[5].usable_high =
      Fact<Bytes>(gib(36), Origin::Device);
  const auto launch = test::launch(test::catalogue_model(kBig), std::move(host), "0.33.0");
  const Budget budget = budget_of(launch, of(2, 3));
  EXPECT_EQ(budget.tightest().gpu, 5);
  EXPECT_LT(budget.kv_tokens, Tokens{220'864});
}

TEST(VllmBudget, MasksDecideWhichGpusHoldTheRanks) {
  HostSpec host = test::equal_cards("A100-PCIE-40GB", 6);
  host.gpus[0].usable = host.gpus[0].usable_low = host.gpus[0].usable_high =
      Fact<Bytes>(gib(20), Origin::Device);
  auto launch = test::launch(test::catalogue_model(kSmall), std::move(host), "0.33.0");
  EXPECT_EQ(budget_of(launch).gpus.front().capacity, gib(20));
  launch.c.visible.gpus = {3, 0};
  EXPECT_GT(budget_of(launch).gpus.front().capacity, gib(39));
}

TEST(VllmBudget, AnUncertainCardWidensTheBand) {
  HostSpec host = test::equal_cards("A100-PCIE-40GB", 1);
  const auto model = test::catalogue_model(kSmall);
  const auto sure = test::launch(model, host, "0.33.0");
  host.gpus[0].usable_low = Fact<Bytes>(gib(38), Origin::Assumed);
  const auto unsure = test::launch(model, host, "0.33.0");
  EXPECT_LT(budget_of(unsure).gpus.front().room_low, budget_of(sure).gpus.front().room_low);
  EXPECT_EQ(budget_of(unsure).gpus.front().room, budget_of(sure).gpus.front().room);
}

TEST(VllmBudget, HybridsPinStateForEachRequest) {
  const auto launch = test::launch("Qwen/Qwen3.5-27B", "H100-80GB-HBM3", 2, "0.33.0");
  const Budget budget = budget_of(launch, of(2));
  ASSERT_NE(budget.gpus.front().line("state"), nullptr);
  EXPECT_GT(budget.gpus.front().line("state")->bytes, Bytes{0});
  expect_sum(budget);
}

TEST(VllmBudget, SaysWhyThereIsNone) {
  const auto why = [](const Case& c, const Layout& layout) {
    const auto budget = vllm_budget(c, layout);
    EXPECT_FALSE(budget.has_value());
    return budget.has_value() ? std::string()
                              : rendered(budget.error().why, Language::English) +
                                    rendered(budget.error().why, Language::Chinese);
  };
  EXPECT_NE(why(test::launch(ModelSpec{}, test::equal_cards("L40S", 1), "0.33.0").c, {}), "");
  auto launch = small();
  launch.c.visible.known = false;
  EXPECT_NE(why(launch.c, {}), "");
  launch = small();
  launch.host->gpus[0].usable = {};
  EXPECT_NE(why(launch.c, {}).find("GPU 0"), std::string::npos);
  EXPECT_NE(why(small().c, of(1'000'000, 1'000'000)), "");
  auto odd = test::catalogue_model(kSmall);
  odd.layers = {0, Origin::Config};
  EXPECT_NE(why(test::launch(odd, test::equal_cards("L40S", 1), "0.33.0").c, {}), "");
}

TEST(VllmBudget, HostileSizesEndInNumbersOfSomeKind) {
  auto model = test::catalogue_model("deepseek-ai/DeepSeek-R1");
  for (Fact<int>* fact : {&model.hidden_size, &model.heads, &model.kv_lora, &model.experts,
                          &model.expert_width, &model.intermediate_size, &model.vocab_size}) {
    *fact = {10'000'000, Origin::Config};
  }
  auto launch = test::launch(model, test::equal_cards("L40S", 2), "0.33.0");
  launch.c.serve.max_model_len = asked(Tokens{INT64_MAX});
  launch.c.serve.max_batched_tokens = asked(Tokens{INT64_MAX});
  launch.c.serve.max_num_seqs = asked(INT32_MAX);
  launch.c.serve.block_size = asked(INT32_MAX);
  launch.c.serve.cpu_offload = asked(Bytes{INT64_MAX});
  launch.c.serve.speculative =
      asked(std::string(R"({"method": "mtp", "num_speculative_tokens": 9223372036854775807})"));
  const Budget budget = budget_of(launch, of(2));
  EXPECT_EQ(budget.kv_tokens, Tokens{0});
}

TEST(VllmSplitAsk, SaysWhatVersionAndClassDecide) {
  const auto ask = [](std::string_view model, std::string_view version) {
    return vllm_split_ask(test::launch(model, "H100-80GB-HBM3", 8, version).c, of(8));
  };
  EXPECT_EQ(ask("Qwen/Qwen3-30B-A3B", "0.33.0").expert_group, ExpertGroup::TensorData);
  EXPECT_EQ(ask("Qwen/Qwen3-30B-A3B", "0.8.5").expert_group, ExpertGroup::Tensor);
  EXPECT_EQ(ask("openai/gpt-oss-20b", "0.33.0").expert_group, ExpertGroup::World);
  EXPECT_EQ(ask("Qwen/Qwen3-235B-A22B-FP8", "0.26.0").smallest_expert_block, 0);
  EXPECT_EQ(ask("Qwen/Qwen3-235B-A22B-FP8", "0.33.0").smallest_expert_block, 32);
  EXPECT_TRUE(ask("Qwen/Qwen2.5-7B-Instruct-AWQ", "0.23.0").marlin);
  EXPECT_FALSE(ask("Qwen/Qwen2.5-7B-Instruct-AWQ", "0.33.0").marlin);
  EXPECT_TRUE(ask("Qwen/Qwen3-30B-A3B", "0.33.0").expert_limit);
  EXPECT_TRUE(ask(kSmall, "0.33.0").replicates_kv_heads);
}

}  // namespace
}  // namespace sx
