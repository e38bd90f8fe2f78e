// SGLang's share by version, against values worked out by hand from its rules, and its pools.
#include <gtest/gtest.h>

#include <algorithm>

#include "engines/sglang/memory.h"
#include "engines/sglang/memory_fraction.h"
#include "engines/sglang/memory_pool.h"
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

constexpr const char* kPlain = "Qwen/Qwen2.5-72B-Instruct";
constexpr const char* kLatent = "deepseek-ai/DeepSeek-V3";

test::Launch launch(std::string_view model, std::int64_t card_mib, int cards,
                    std::string_view version) {
  HostSpec host = test::equal_cards("H100", cards);
  for (Gpu& gpu : host.gpus) {
    gpu.memory = {mib(card_mib), Origin::Device};
    gpu.usable = gpu.usable_low = gpu.usable_high = {mib(card_mib - 500), Origin::Device};
  }
  auto l = test::launch(test::catalogue_model(model), std::move(host), version);
  l.c.serve.engine = "sglang";
  return l;
}

double share(const test::Launch& l, int tensor, int pipeline = 1) {
  Layout layout;
  layout.tensor = tensor;
  layout.pipeline = pipeline;
  const auto shape = shape_of(*l.model);
  return sglang_share(l.c, sglang_settings(l.c, *shape, layout), *shape).fraction;
}

struct Default {
  std::string version;
  std::int64_t card_mib;
  int tensor;
  double fraction;
};

class SglangDefault : public testing::TestWithParam<Default> {};

TEST_P(SglangDefault, IsTheVersionsOwn) {
  const Default& d = GetParam();
  EXPECT_NEAR(share(launch(kPlain, d.card_mib, d.tensor, d.version), d.tensor), d.fraction, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    Versions, SglangDefault,
    testing::Values(Default{"0.5.23", 81559, 1, 0.830}, Default{"0.5.23", 81559, 8, 0.812},
                    Default{"0.5.23", 143771, 8, 0.893}, Default{"0.5.23", 24564, 1, 0.704},
                    Default{"0.5.23", 46068, 1, 0.843}, Default{"0.4.6", 81559, 1, 0.88},
                    Default{"0.4.6", 81559, 8, 0.81}, Default{"0.4.6", 143771, 8, 0.907},
                    Default{"0.4.7", 81559, 4, 0.85}, Default{"0.4.7", 143771, 8, 0.872},
                    Default{"0.4.7", 183359, 8, 0.79}, Default{"0.4.9", 24564, 1, 0.879},
                    Default{"0.5.2", 81559, 8, 0.831}, Default{"0.5.2", 143771, 4, 0.900},
                    Default{"0.5.3", 81559, 1, 0.835}, Default{"0.5.9", 81559, 1, 0.835},
                    Default{"0.5.10", 81559, 1, 0.830}, Default{"0.5.19", 24564, 1, 0.833}),
    [](const auto& test) {
      std::string name = test.param.version + "_" + std::to_string(test.param.card_mib) + "_" +
                         std::to_string(test.param.tensor);
      std::ranges::replace(name, '.', '_');
      return name;
    });

TEST(SglangShare, LatentAttentionReservesForItsPrefillGraphs) {
  EXPECT_NEAR(share(launch(kLatent, 143771, 8, "0.5.23"), 8), 0.886, 1e-9);
}

TEST(SglangShare, FlagsMoveIt) {
  auto l = launch(kPlain, 81559, 1, "0.5.23");
  l.c.serve.max_batched_tokens = asked(Tokens{2048});
  EXPECT_NEAR(share(l, 1), 0.874, 1e-9);  // the floor of 10 GiB
  l = launch(kPlain, 81559, 1, "0.5.23");
  l.c.serve.max_num_seqs = asked(16);
  EXPECT_NEAR(share(l, 1), 0.835, 1e-9);  // smaller decode graphs
  l.c.serve.memory_fraction = asked(0.91);
  EXPECT_EQ(share(l, 1), 0.91);
}

TEST(SglangShare, DraftsReserveUntilTheyAreLoadedFirst) {
  for (const auto& [version, less] :
       std::vector<std::pair<std::string, double>>{{"0.5.9", 2048.0}, {"0.5.13", 4096.0}}) {
    auto l = launch(kPlain, 81559, 1, version);
    const double without = share(l, 1);
    l.c.serve.flags.push_back(flag("--speculative-algorithm", {"EAGLE"}));
    EXPECT_NEAR(without - share(l, 1), less / 81559, 0.0011) << version;
  }
  auto l = launch(kPlain, 81559, 1, "0.5.14");
  const double without = share(l, 1);
  l.c.serve.flags.push_back(flag("--speculative-algorithm", {"EAGLE"}));
  EXPECT_EQ(share(l, 1), without);
}

Budget budget_of(const test::Launch& l, int tensor, int pipeline = 1) {
  Layout layout;
  layout.tensor = tensor;
  layout.pipeline = pipeline;
  const auto budget = sglang_budget(l.c, layout);
  EXPECT_TRUE(budget.has_value());
  return budget.value_or(Budget{});
}

void expect_lines_sum(const Budget& budget) {
  ASSERT_FALSE(budget.gpus.empty());
  for (const GpuBudget& gpu : budget.gpus) {
    Bytes sum;
    for (const BudgetLine& line : gpu.lines) {
      sum += line.bytes;
      EXPECT_LE(line.low, line.bytes) << line.name;
      EXPECT_GE(line.high, line.bytes) << line.name;
    }
    EXPECT_EQ(sum, std::max(gpu.capacity, sum));
    if (gpu.room >= Bytes{0}) EXPECT_EQ(sum, gpu.capacity);
  }
}

TEST(SglangBudget, CellsAreThoseOfTheModel) {
  auto l = launch("meta-llama/Llama-3.1-8B-Instruct", 81559, 1, "0.5.23");
  Budget budget = budget_of(l, 1);
  EXPECT_EQ(budget.gpus[0].bytes_per_token, 131'072);
  expect_lines_sum(budget);
  l = launch(kLatent, 143771, 8, "0.5.23");
  budget = budget_of(l, 8);
  EXPECT_EQ(budget.gpus[0].bytes_per_token, 70'272);
}

// Every sixth layer is wider than the others.
TEST(SglangBudget, CellsAreThoseOfEachLayer) {
  auto l = launch(kPlain, 81559, 4, "0.5.23");
  EXPECT_EQ(budget_of(l, 4).gpus[0].bytes_per_token, 80 * 1024);
  l.model->model_type = {"gemma4_text", Origin::Config};
  EXPECT_EQ(budget_of(l, 4).gpus[0].bytes_per_token, 67 * 1024 + 13 * 2048);
}

// What is alike is worked out once, and no more than that.
TEST(SglangBudget, EachRankIsOnItsOwnCard) {
  auto l = launch(kPlain, 81559, 4, "0.5.23");
  const Tokens alike = budget_of(l, 4).kv_tokens;
  Gpu& smaller = l.host->gpus[2];
  smaller.usable = {smaller.usable.value() - gib(20), Origin::Device};
  const Budget budget = budget_of(l, 4);
  ASSERT_EQ(budget.gpus.size(), 4U);
  for (int rank = 0; rank < 4; ++rank) {
    const GpuBudget& gpu = budget.gpus[static_cast<std::size_t>(rank)];
    EXPECT_EQ(gpu.gpu, rank);
    EXPECT_EQ(gpu.rank, rank);
    EXPECT_EQ(gpu.capacity, l.host->gpus[static_cast<std::size_t>(rank)].usable.value());
  }
  EXPECT_LT(budget.kv_tokens, alike);
  expect_lines_sum(budget);
}

TEST(SglangBudget, TheShareIsOfWhatIsFreeBeforeLoading) {
  auto l = launch(kPlain, 81559, 4, "0.5.23");
  l.c.serve.memory_fraction = asked(0.85);
  const Budget budget = budget_of(l, 4);
  const GpuBudget& gpu = budget.gpus[0];
  const Bytes before = gpu.capacity - gpu.line("runtime")->bytes;
  EXPECT_NEAR(static_cast<double>((gpu.kv_bytes + gpu.line("weights")->bytes).count()),
              static_cast<double>(before.count()) * 0.85, 1024.0);
  EXPECT_EQ(budget.kv_tokens.count(), gpu.kv_bytes.count() / gpu.bytes_per_token);
}

TEST(SglangBudget, ADraftTakesTokensAndMultipliesCells) {
  auto l = launch(kPlain, 81559, 4, "0.5.23");
  const Budget plain = budget_of(l, 4);
  l.c.serve.flags.push_back(flag("--speculative-algorithm", {"EAGLE"}));
  const Budget drafts = budget_of(l, 4);
  EXPECT_EQ(drafts.gpus[0].bytes_per_token, plain.gpus[0].bytes_per_token * 81 / 80);
  EXPECT_GT(drafts.gpus[0].line("draft")->bytes, Bytes{0});
  EXPECT_LT(drafts.kv_tokens, plain.kv_tokens);
  expect_lines_sum(drafts);
  l.c.serve.flags = {flag("--speculative-algorithm", {"NGRAM"})};
  EXPECT_EQ(budget_of(l, 4).kv_tokens, plain.kv_tokens);
}

TEST(SglangBudget, ALimitOfTokensLeavesTheRestUnused) {
  auto l = launch(kPlain, 81559, 4, "0.5.23");
  const Budget all = budget_of(l, 4);
  l.c.serve.kv_tokens = asked(Tokens{10'000});
  const Budget limited = budget_of(l, 4);
  EXPECT_EQ(limited.kv_tokens, Tokens{10'000});
  EXPECT_LT(limited.gpus[0].kv_bytes, all.gpus[0].kv_bytes);
  expect_lines_sum(limited);
}

TEST(SglangBudget, PagesRoundTokensDown) {
  auto l = launch(kPlain, 81559, 4, "0.5.23");
  l.c.serve.block_size = asked(64);
  EXPECT_EQ(budget_of(l, 4).kv_tokens.count() % 64, 0);
}

TEST(SglangBudget, AttentionGroupsHoldWholeHeads) {
  auto l = launch(kPlain, 143771, 8, "0.5.23");
  const Budget whole = budget_of(l, 8);
  l.c.serve.attention_data_parallel = asked(8);
  const Budget groups = budget_of(l, 8);
  EXPECT_EQ(groups.gpus[0].bytes_per_token, whole.gpus[0].bytes_per_token * 8);
  EXPECT_GT(groups.gpus[0].line("weights")->bytes, whole.gpus[0].line("weights")->bytes);
  EXPECT_EQ(groups.max_batched_tokens, Tokens{1024});
}

TEST(SglangBudget, WindowsHaveAPoolOfTheirOwn) {
  auto l = launch("openai/gpt-oss-20b", 81559, 1, "0.5.23");
  const Budget apart = budget_of(l, 1);
  l.c.serve.flags.push_back(flag("--disable-hybrid-swa-memory"));
  const Budget whole = budget_of(l, 1);
  EXPECT_NEAR(static_cast<double>(apart.gpus[0].bytes_per_token) /
                  static_cast<double>(whole.gpus[0].bytes_per_token),
              0.9, 0.001);
  EXPECT_GT(apart.kv_tokens, whole.kv_tokens);
}

TEST(SglangBudget, StateTakesItsPartFirst) {
  auto l = launch("Qwen/Qwen3-Next-80B-A3B-Instruct", 143771, 4, "0.5.23");
  const Budget budget = budget_of(l, 4);
  const GpuBudget& gpu = budget.gpus[0];
  ASSERT_NE(gpu.line("state"), nullptr);
  const auto state = static_cast<double>(gpu.line("state")->bytes.count());
  EXPECT_NEAR(state / static_cast<double>(gpu.kv_bytes.count()), 0.9, 0.02);
  expect_lines_sum(budget);
  l.c.serve.flags.push_back(flag("--max-mamba-cache-size", {"16"}));
  const Budget few = budget_of(l, 4);
  EXPECT_LT(few.gpus[0].line("state")->bytes, gpu.line("state")->bytes);
  EXPECT_GT(few.kv_tokens, budget.kv_tokens);
}

TEST(SglangBudget, TheStageWithFewestTokensDecides) {
  auto l = launch(kPlain, 81559, 4, "0.5.23");
  const Budget budget = budget_of(l, 1, 4);
  ASSERT_EQ(budget.gpus.size(), 4U);
  for (const GpuBudget& gpu : budget.gpus)
    EXPECT_NEAR(
        static_cast<double>(gpu.kv_bytes.count()) / static_cast<double>(gpu.bytes_per_token),
        static_cast<double>(budget.kv_tokens.count()), 2.0);
  expect_lines_sum(budget);
}

TEST(SglangStages, TheRestGoesToTheLastStages) {
  auto l = launch("deepseek-ai/DeepSeek-V3", 143771, 4, "0.5.23");
  Layout layout;
  layout.pipeline = 4;
  EXPECT_EQ(sglang_stages(l.c, layout), (std::vector<int>{15, 15, 15, 16}));
  layout.pipeline = 3;
  EXPECT_EQ(sglang_stages(l.c, layout), (std::vector<int>{20, 20, 21}));
  layout.pipeline = 8;
  EXPECT_EQ(sglang_stages(l.c, layout), (std::vector<int>{7, 7, 7, 8, 8, 8, 8, 8}));
  l.c.serve.version = *parse_version("0.5.5");
  EXPECT_EQ(sglang_stages(l.c, layout), (std::vector<int>{7, 7, 7, 7, 7, 7, 7, 12}));
  layout.partition = {10, 10, 10, 10, 10, 10, 1, 0};
  EXPECT_EQ(sglang_stages(l.c, layout), layout.partition);
}

TEST(SglangSlack, IsWhatTheShareLeaves) {
  auto l = launch(kPlain, 81559, 4, "0.5.23");
  l.c.serve.memory_fraction = asked(0.98);
  Layout layout;
  layout.tensor = 4;
  const auto slack = sglang_slack(l.c, layout);
  ASSERT_TRUE(slack);
  EXPECT_LT(slack->left, gib(2));
  EXPECT_TRUE(slack->asked);
  EXPECT_GT(slack->by_default, 0.8);
  EXPECT_EQ(slack->need, slack->graphs + slack->activations);
}

}  // namespace
}  // namespace sx
