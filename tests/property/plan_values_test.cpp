// A launch whose sizes and settings are set as values takes what it takes when it is read from its
// words: the search may work with the one, and offers the other.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "fit/splits.h"
#include "plan/launches.h"
#include "plan/tried_launch.h"
#include "property/plan_asking.h"

namespace sx {
namespace {

using Lines = std::vector<std::string>;

// All that a budget says, one line a figure.
Lines said(const Budget& budget) {
  Lines lines;
  const auto add = [&lines](std::string_view name, std::int64_t value) {
    lines.push_back(std::string(name) + ' ' + std::to_string(value));
  };
  add("tokens", budget.kv_tokens.count());
  add("low", budget.kv_tokens_low.count());
  add("high", budget.kv_tokens_high.count());
  add("request", budget.request_tokens.count());
  add("length", budget.max_model_len.count());
  add("asked", budget.max_model_len_asked ? 1 : 0);
  add("sequences", budget.max_num_seqs);
  add("step", budget.max_batched_tokens.count());
  add("longest", budget.longest_possible.count());
  add("share", static_cast<std::int64_t>(budget.memory_fraction * 1e9));
  add("at once", static_cast<std::int64_t>(budget.max_concurrency * 1e6));
  for (const GpuBudget& gpu : budget.gpus) {
    add("stage", gpu.stage);
    add("room", gpu.room.count());
    for (const BudgetLine& line : gpu.lines) add(line.name, line.bytes.count());
  }
  return lines;
}

Lines said_of(const Case& launch) {
  const Engine* engine = find_engine(launch.serve.engine);
  const auto layout = layout_of(launch.serve);
  if (!layout) return {"no layout"};
  const auto budget = engine->budget(launch, *layout);
  Lines lines = budget ? said(*budget) : Lines{rendered(budget.error().why, Language::English)};
  for (const SplitProblem& problem :
       split_problems(launch.model(), engine->split_ask(launch, *layout))) {
    lines.push_back("split " + std::to_string(static_cast<int>(problem.kind)) + ' ' +
                    std::to_string(problem.size) + ' ' + std::to_string(problem.parts));
  }
  lines.push_back("GPUs " + std::to_string(launch.serve.gpus_wanted().value_or(-1)));
  const auto supported = engine->pipeline_supported(launch);
  lines.push_back(supported ? (*supported ? "stages" : "no stages") : "stages not known");
  return lines;
}

std::vector<LaunchShape> shapes() {
  std::vector<LaunchShape> all;
  for (const int tensor : {1, 2, 4, 8}) {
    for (const int pipeline : {1, 2, 4}) {
      for (const int ranks : {1, 2, 4}) {
        for (const bool expert : {false, true}) {
          if (tensor * pipeline * ranks > 16 || (expert && tensor * ranks == 1)) continue;
          all.push_back({.tensor = tensor, .pipeline = pipeline, .ranks = ranks, .expert = expert});
        }
      }
    }
    if (tensor == 1) continue;
    all.push_back({.tensor = tensor, .groups = tensor});
    all.push_back({.tensor = tensor, .expert = true, .groups = tensor});
  }
  return all;
}

bool can_be_told(const LaunchShape& shape, const LaunchKinds& kinds) {
  return (shape.ranks == 1 || kinds.ranks) && (!shape.expert || kinds.experts) &&
         (shape.groups == 1 || kinds.groups);
}

std::vector<LaunchSettings> settings_for(const LaunchShape& shape, int layers) {
  std::vector<LaunchSettings> all{{},
                                  {.max_model_len = Tokens{4096}},
                                  {.max_model_len = Tokens{8192}, .max_num_seqs = 64},
                                  {.max_num_seqs = 32, .max_batched_tokens = Tokens{2048}},
                                  {.share_hundredths = 85}};
  if (shape.pipeline > 1 && layers > 2 * shape.pipeline) {
    LaunchSettings uneven{.max_model_len = Tokens{4096}};
    uneven.partition.assign(static_cast<std::size_t>(shape.pipeline), layers / shape.pipeline);
    uneven.partition.back() = layers;
    for (std::size_t i = 0; i + 1 < uneven.partition.size(); ++i)
      uneven.partition.back() -= i == 0 ? ++uneven.partition[i] : uneven.partition[i];
    all.push_back(uneven);
  }
  return all;
}

std::vector<int> first_gpus(int count) {
  std::vector<int> gpus;
  for (int i = 0; i < count; ++i) gpus.push_back(i);
  return gpus;
}

int compared_for(const std::vector<std::string>& words) {
  const auto cases = testing::gathered(
      {"16xH100-80GB-HBM3", ""},
      {.argv = words, .file = {}, .pid = {}, .engine_version = {}, .without_learned = true});
  const Case& bare = cases->cases.front();
  const LaunchKinds kinds = launch_kinds(bare);
  std::map<ShapeKind, std::unique_ptr<TriedLaunch>> said_as;
  int compared = 0;
  for (const LaunchShape& shape : shapes()) {
    if (!can_be_told(shape, kinds)) continue;
    const std::vector<int> gpus = first_gpus(shape.gpus());
    const auto [found, fresh] = said_as.try_emplace(kind_by_values(bare, shape));
    std::unique_ptr<TriedLaunch>& tried = found->second;
    if (fresh) {
      const auto read = launch_on(bare, shape, {}, {0});
      EXPECT_TRUE(read.has_value()) << words.back() << ' ' << shape.label();
      if (read) tried = std::make_unique<TriedLaunch>(*read, shape, bare.serve);
    } else {
      EXPECT_TRUE(tried->resize(shape)) << words.back() << ' ' << shape.label();
    }
    for (const LaunchSettings& settings : settings_for(shape, bare.model().layers.value_or(0))) {
      const auto by_words = launch_on(bare, shape, settings, gpus);
      const Case* by_values = tried->with(gpus, settings);
      EXPECT_EQ(by_values != nullptr, by_words.has_value()) << words.back() << ' ' << shape.label();
      if (!by_words || !by_values) continue;
      EXPECT_EQ(said_of(*by_values), said_of(*by_words)) << words.back() << ' ' << shape.label();
      ++compared;
    }
  }
  return compared;
}

TEST(PlanValues, TakeWhatTheirWordsTake) {
  int compared = 0;
  for (const char* model :
       {"Qwen/Qwen2.5-72B-Instruct", "Qwen/Qwen3-235B-A22B-FP8", "deepseek-ai/DeepSeek-V3",
        "Qwen/Qwen2.5-VL-72B-Instruct", "openai/gpt-oss-120b", "google/gemma-3-27b-it"}) {
    compared += compared_for({"vllm", "serve", model});
    compared += compared_for({"sglang", "serve", "--model-path", model});
  }
  EXPECT_GE(compared, 800);
}

// Sizes that the user fixed by a flag are no numbers to change.
TEST(PlanValues, ExpertRanksOfTheUserAreReadAgain) {
  const auto cases = testing::gathered(
      {"8xH100-80GB-HBM3", ""},
      {.argv = {"sglang", "serve", "--model-path", "Qwen/Qwen3-235B-A22B-FP8", "--ep-size", "2"},
       .file = {},
       .pid = {},
       .engine_version = {},
       .without_learned = true});
  const LaunchShape two{.tensor = 2}, four{.tensor = 4};
  const auto launch = launch_on(cases->cases.front(), two, {}, {0, 1});
  ASSERT_TRUE(launch.has_value());
  TriedLaunch tried(*launch, two, cases->cases.front().serve);
  EXPECT_FALSE(tried.resize(four));
  EXPECT_EQ(tried.shape(), two);
  EXPECT_EQ(tried.plain().serve.tensor_parallel.value(), 2);
}

}  // namespace
}  // namespace sx
