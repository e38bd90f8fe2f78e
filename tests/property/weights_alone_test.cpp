// Layouts that are refused by their weights alone are refused in the same words when all of their
// memory is worked out, and no other ones are.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/memory_verdict.h"
#include "engines/engine.h"
#include "plan/launches.h"
#include "property/plan_asking.h"
#include "rules/memory/memory_titles.h"

namespace sx {
namespace {

std::vector<int> first_gpus(int count) {
  std::vector<int> gpus;
  for (int i = 0; i < count; ++i) gpus.push_back(i);
  return gpus;
}

std::vector<LaunchShape> shapes(int gpus, bool experts) {
  std::vector<LaunchShape> all;
  for (int tensor = 1; tensor <= gpus; ++tensor) {
    for (int pipeline = 1; tensor * pipeline <= gpus; ++pipeline) {
      all.push_back({.tensor = tensor, .pipeline = pipeline});
      if (experts && tensor > 1)
        all.push_back({.tensor = tensor, .pipeline = pipeline, .expert = true});
    }
  }
  return all;
}

bool too_heavy(const Budget& budget, const MemoryFault& fault) {
  return fault.what == MemoryBreak::Weights &&
         weights_of(budget.gpus[fault.gpu]).low > fault.share.high;
}

struct Seen {
  int hopeless = 0, others = 0;
};

void compare(const Case& launch, const std::string& label, Seen& seen) {
  const Engine* engine = find_engine("vllm");
  const auto layout = layout_of(launch.serve);
  ASSERT_TRUE(layout.has_value()) << label;
  const auto alone = engine->weights_alone(launch, *layout);
  const auto whole = engine->budget(launch, *layout);
  if (!alone || !whole) return;
  EXPECT_TRUE(alone->weights_alone);
  EXPECT_FALSE(whole->weights_alone);
  ASSERT_EQ(alone->gpus.size(), whole->gpus.size()) << label;
  for (std::size_t i = 0; i < alone->gpus.size(); ++i) {
    EXPECT_EQ(weights_of(alone->gpus[i]).bytes, weights_of(whole->gpus[i]).bytes) << label;
    EXPECT_EQ(share_of(alone->gpus[i]).high, share_of(whole->gpus[i]).high) << label;
  }
  const auto fault = memory_fault(launch, *alone), of_whole = memory_fault(launch, *whole);
  const bool hopeless = fault && too_heavy(*alone, *fault);
  EXPECT_EQ(hopeless, of_whole && too_heavy(*whole, *of_whole)) << label;
  ++(hopeless ? seen.hopeless : seen.others);
  if (!hopeless || !of_whole) return;
  EXPECT_TRUE(of_whole->certain) << label;
  EXPECT_EQ(fault->gpu, of_whole->gpu) << label;
  EXPECT_EQ(rendered(rules::title_of(launch, *fault, *alone), Language::English),
            rendered(rules::title_of(launch, *of_whole, *whole), Language::English))
      << label;
}

TEST(WeightsAlone, SayWhatTheWholeMemorySays) {
  Seen seen;
  for (const char* machine : {"6xA100-PCIE-40GB", "2xL40S+4xL4", "8xRTX-4090"}) {
    for (const char* model :
         {"Qwen/Qwen2.5-72B-Instruct", "Qwen/Qwen3-235B-A22B", "deepseek-ai/DeepSeek-V3",
          "Qwen/Qwen2.5-VL-72B-Instruct", "google/gemma-3-27b-it", "Qwen/Qwen2.5-7B-Instruct"}) {
      const auto cases = testing::gathered({machine, ""}, {.argv = {"vllm", "serve", model},
                                                           .file = {},
                                                           .pid = {},
                                                           .engine_version = {},
                                                           .without_learned = true});
      ASSERT_NE(cases, nullptr);
      const Case& bare = cases->cases.front();
      const int gpus = static_cast<int>(bare.host().gpus.size());
      for (const LaunchShape& shape : shapes(gpus, bare.model().is_moe())) {
        const auto launch = launch_on(bare, shape, {}, first_gpus(shape.gpus()));
        ASSERT_TRUE(launch.has_value());
        compare(*launch, std::string(model) + " on " + machine + ' ' + shape.label(), seen);
      }
    }
  }
  EXPECT_GE(seen.hopeless, 100);
  EXPECT_GE(seen.others, 20);
}

}  // namespace
}  // namespace sx
