// Laws of memory that hold for every model, card and launch.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "engines/vllm/memory.h"
#include "fit/kv.h"
#include "fit/splits.h"
#include "fit/weights.h"
#include "gather/gather_host.h"
#include "gather/gather_model.h"
#include "sys/files.h"

namespace sx {
namespace {

constexpr int kCards = 8;

const MemoryFiles& no_files() {
  static const MemoryFiles files;
  return files;
}

ModelSpec model_of(const std::string& id) {
  Outside outside;
  outside.files = &no_files();
  Sources sources;
  return gather_model(sources, id, outside);
}

// Dense, grouped, MoE, latent, sparse, hybrid, sliding, vision, and quantised of several kinds.
const std::vector<ModelSpec>& models() {
  static const std::vector<ModelSpec> all = [] {
    std::vector<ModelSpec> list;
    for (const char* id :
         {"Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-72B-Instruct", "meta-llama/Meta-Llama-3.1-8B",
          "Qwen/Qwen3-30B-A3B", "mistralai/Mixtral-8x7B-v0.1", "deepseek-ai/DeepSeek-V2-Lite-Chat",
          "deepseek-ai/DeepSeek-V3.2", "Qwen/Qwen3.5-27B", "Qwen/Qwen3-Next-80B-A3B-Instruct",
          "google/gemma-3-27b-it", "google/gemma-4-26B-A4B", "openai/gpt-oss-20b",
          "Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen2.5-32B-Instruct-AWQ",
          "Qwen/Qwen3-235B-A22B-FP8", "nvidia/Qwen3-32B-NVFP4"}) {
      list.push_back(model_of(id));
    }
    return list;
  }();
  return all;
}

const std::vector<HostSpec>& hosts() {
  static const std::vector<HostSpec> all = [] {
    std::vector<HostSpec> list;
    for (const char* name :
         {"8xH100-80GB-HBM3", "8xA100-PCIE-40GB", "8xGeForce-RTX-4090", "8xB200", "4xL40S+4xL4"}) {
      if (auto host = parse_machine_name(name)) list.push_back(*host);
    }
    return list;
  }();
  return all;
}

const std::vector<Version>& versions() {
  static const std::vector<Version> all{{0, 6, 6},  {0, 8, 5},  {0, 10, 2}, {0, 16, 0},
                                        {0, 19, 1}, {0, 23, 0}, {0, 33, 0}};
  return all;
}

template <class T>
const T& any_of(const std::vector<T>& list) {
  return list[static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(list.size())))];
}

struct Asked {
  Case c;
  Layout layout;
};

Asked any_launch() {
  Asked asked;
  Case& c = asked.c;
  c.model_spec = &any_of(models());
  c.host_spec = &any_of(hosts());
  c.serve.engine = "vllm";
  c.serve.version = any_of(versions());
  c.visible.known = true;
  for (const Gpu& gpu : c.host().gpus) c.visible.gpus.push_back(gpu.index);
  asked.layout.tensor = *rc::gen::element(1, 2, 4, 8);
  asked.layout.pipeline = *rc::gen::inRange(1, kCards / asked.layout.tensor + 1);
  asked.layout.expert = *rc::gen::arbitrary<bool>();
  c.serve.max_model_len = {Tokens{*rc::gen::inRange<std::int64_t>(1, 200'000)}, Origin::Flag};
  c.serve.memory_fraction = {*rc::gen::inRange(1, 101) / 100.0, Origin::Flag};
  if (*rc::gen::arbitrary<bool>())
    c.serve.max_num_seqs = {*rc::gen::inRange(1, 2000), Origin::Flag};
  if (*rc::gen::arbitrary<bool>())
    c.serve.max_batched_tokens = {Tokens{*rc::gen::inRange<std::int64_t>(1, 100'000)},
                                  Origin::Flag};
  if (*rc::gen::arbitrary<bool>()) c.serve.enforce_eager = {true, Origin::Flag};
  if (*rc::gen::arbitrary<bool>()) c.serve.kv_dtype = {std::string("fp8"), Origin::Flag};
  return asked;
}

Budget budget_of(const Asked& asked) {
  auto budget = vllm_budget(asked.c, asked.layout);
  RC_ASSERT(budget.has_value());
  return std::move(*budget);
}

TEST(MemoryLaws, LinesSumToTheCapacityOrExceedItWithoutACache) {
  ASSERT_EQ(hosts().size(), 5U);
  EXPECT_TRUE(rc::check([] {
    const Budget budget = budget_of(any_launch());
    RC_ASSERT(!budget.gpus.empty());
    for (const GpuBudget& gpu : budget.gpus) {
      Bytes sum;
      for (const BudgetLine& line : gpu.lines) {
        sum += line.bytes;
        RC_ASSERT(line.bytes >= Bytes{0});
        RC_ASSERT(line.low <= line.bytes);
        RC_ASSERT(line.bytes <= line.high);
      }
      if (gpu.room >= Bytes{0}) RC_ASSERT(sum == gpu.capacity);
      if (gpu.room < Bytes{0}) RC_ASSERT(sum == gpu.capacity - gpu.room);
      RC_ASSERT(gpu.kv_bytes == std::max(gpu.room, Bytes{0}));
      RC_ASSERT(gpu.room_low <= gpu.room);
      RC_ASSERT(gpu.room <= gpu.room_high);
    }
    RC_ASSERT(budget.kv_tokens_low <= budget.kv_tokens);
    RC_ASSERT(budget.kv_tokens <= budget.kv_tokens_high);
    RC_ASSERT(budget.kv_tokens >= Tokens{0});
  }));
}

TEST(MemoryLaws, OneRequestFitsExactlyUpToTheLongestPossible) {
  EXPECT_TRUE(rc::check([] {
    Asked asked = any_launch();
    const Budget budget = budget_of(asked);
    const bool fits = budget.kv_tokens >= budget.request_tokens;
    RC_ASSERT(fits == (budget.longest_possible >= budget.max_model_len));
    if (budget.longest_possible == Tokens{0}) return;
    // The step's size may follow the length, so it is held still.
    asked.c.serve.max_batched_tokens = {budget.max_batched_tokens, Origin::Flag};
    asked.c.serve.max_num_seqs = {budget.max_num_seqs, Origin::Flag};
    asked.c.serve.max_model_len = {budget.longest_possible, Origin::Flag};
    const Budget longest = budget_of(asked);
    RC_ASSERT(longest.kv_tokens >= longest.request_tokens);
  }));
}

TEST(MemoryLaws, ALongerContextNeverNeedsLess) {
  EXPECT_TRUE(rc::check([] {
    const ModelSpec& model = any_of(models());
    PoolAsk ask;
    ask.layers.resize(static_cast<std::size_t>(*rc::gen::inRange(1, model.layers.value() + 1)));
    std::iota(ask.layers.begin(), ask.layers.end(), 0);
    ask.tensor = *rc::gen::element(1, 2, 4, 8);
    ask.element = *rc::gen::element(1.0, 2.0);
    ask.block_size = *rc::gen::element(16, 32, 64, 128);
    ask.room = gib(*rc::gen::inRange(0, 80));
    ask.batched_tokens = Tokens{8192};
    ask.length = Tokens{*rc::gen::inRange<std::int64_t>(1, 300'000)};
    const Pool shorter = pool(model, ask);
    const Tokens longest_before = longest_request(model, ask, Tokens{500'000});
    ask.length += Tokens{*rc::gen::inRange<std::int64_t>(0, 300'000)};
    const Pool longer = pool(model, ask);
    RC_ASSERT(longer.one_request >= shorter.one_request);
    RC_ASSERT(longer.requests <= shorter.requests);
    ask.room += gib(1);
    RC_ASSERT(longest_request(model, ask, Tokens{500'000}) >= longest_before);
    RC_ASSERT(pool(model, ask).requests >= longer.requests);
  }));
}

TEST(MemoryLaws, MoreRanksNeverHoldMoreWeightsEach) {
  EXPECT_TRUE(rc::check([] {
    const ModelSpec& model = any_of(models());
    WeightsAsk ask;
    ask.layout.expert = *rc::gen::arbitrary<bool>();
    ask.stage_layers = {model.layers.value()};
    ask.capability = {9, 0};
    ask.layout.tensor = *rc::gen::element(1, 2, 4);
    const auto few = rank_weights(model, ask);
    ask.layout.tensor *= 2;
    const auto many = rank_weights(model, ask);
    RC_ASSERT(few.size() == 1U && many.size() == 1U);
    // Rounding of tensors by the allocator can cost a rank a MiB a tensor.
    RC_ASSERT(many.front().bytes <= few.front().bytes + mib(8) * model.layers.value());
    RC_ASSERT(many.front().replicated <= many.front().bytes);
  }));
}

TEST(MemoryLaws, AStageOfFewerLayersHoldsLess) {
  EXPECT_TRUE(rc::check([] {
    const ModelSpec& model = any_of(models());
    const int layers = model.layers.value();
    WeightsAsk ask;
    const int first = *rc::gen::inRange(1, layers - 1);
    ask.stage_layers = {first, layers - first};
    const auto less = rank_weights(model, ask);
    ask.stage_layers = {first + 1, layers - first - 1};
    const auto more = rank_weights(model, ask);
    RC_ASSERT(less.front().bytes < more.front().bytes);
    RC_ASSERT(less.back().bytes > more.back().bytes);
  }));
}

TEST(MemoryLaws, AGreaterFractionNeverHoldsFewerTokens) {
  EXPECT_TRUE(rc::check([] {
    Asked asked = any_launch();
    const Budget small = budget_of(asked);
    const double fraction = asked.c.serve.memory_fraction.value();
    asked.c.serve.memory_fraction = {fraction + (1 - fraction) * *rc::gen::inRange(0, 101) / 100.0,
                                     Origin::Flag};
    const Budget large = budget_of(asked);
    RC_ASSERT(large.kv_tokens >= small.kv_tokens);
    RC_ASSERT(large.longest_possible >= small.longest_possible);
  }));
}

TEST(MemoryLaws, NoSplitHasAReasonAndIsListed) {
  EXPECT_TRUE(rc::check([] {
    const ModelSpec& model = any_of(models());
    SplitAsk ask;
    ask.layout.expert = *rc::gen::arbitrary<bool>();
    ask.layout.data = *rc::gen::element(1, 2);
    const auto sizes = tensor_sizes(model, ask, 16);
    RC_ASSERT(!sizes.empty() && sizes.front() == 1);
    for (int tensor = 1; tensor <= 16; ++tensor) {
      ask.layout.tensor = tensor;
      const bool listed = std::ranges::find(sizes, tensor) != sizes.end();
      RC_ASSERT(listed == split_problems(model, ask).empty());
    }
  }));
}

TEST(MemoryLaws, NamesOfTensorsMayBeAnything) {
  EXPECT_TRUE(rc::check([](const std::string& name) {
    const TensorPlace place = place_of_tensor("model.layers." + name);
    RC_ASSERT(place.layer >= -1);
    place_of_tensor(name);
  }));
}

// Sizes as a hostile config could have them: answers are numbers within range, never a crash.
TEST(MemoryLaws, HostileShapesEndInNumbers) {
  EXPECT_TRUE(rc::check([] {
    ModelSpec model = any_of(models());
    const auto size = [] {
      return Fact<int>(*rc::gen::element(0, 1, -1, 7, 4096, 10'000'000, 2'147'483'647),
                       Origin::Config);
    };
    for (Fact<int>* fact :
         {&model.layers, &model.hidden_size, &model.heads, &model.kv_heads, &model.head_dim,
          &model.intermediate_size, &model.vocab_size, &model.experts, &model.expert_width,
          &model.kv_lora, &model.linear_value_heads, &model.linear_value_dim, &model.full_interval,
          &model.vision.hidden_size}) {
      if (*rc::gen::inRange(0, 4) == 0) *fact = size();
    }
    Asked asked = any_launch();
    asked.c.model_spec = &model;
    const auto budget = vllm_budget(asked.c, asked.layout);
    split_problems(model, vllm_split_ask(asked.c, asked.layout));
    if (!budget) RC_ASSERT(!budget.error().why.empty());
    if (budget) RC_ASSERT(budget->kv_tokens >= Tokens{0});
  }));
}

}  // namespace
}  // namespace sx
