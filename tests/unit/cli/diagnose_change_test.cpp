// A change that lowers never raises, and one that raises never lowers.
#include "cli/diagnose_change.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "gather/gather_case.h"
#include "sys/files.h"

namespace sx {
namespace {

class Changes : public testing::Test {
 protected:
  std::string asked(std::string_view change, std::string_view command) {
    Outside outside;
    outside.files = &files_;
    outside.environment = Environment({{"HOME", "/home/user"}});
    outside.folder = "/srv";
    outside.nvml = [] {
      return Result<NvmlAnswer>(fail(Error::Kind::Absent, "no driver", "没有驱动"));
    };
    outside.standard_input = [] { return Result<std::string>(std::string()); };
    std::vector<std::string> words;
    for (const auto word : split(command, ' ')) words.emplace_back(word);
    const auto gathered = gather_cases({.argv = words, .file = {}, .pid = {}, .engine_version = {}},
                                       HostAsk{}, outside);
    if (!gathered) return "not read";
    return change_for(change, (*gathered)->cases.front()).value_or("none");
  }

  MemoryFiles files_;
};

constexpr std::string_view kSglang = "python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B";

TEST_F(Changes, WhatIsNotGivenIsSet) {
  EXPECT_EQ(asked("lower --gpu-memory-utilization 0.85", "vllm serve Qwen/Qwen3-8B"),
            "set --gpu-memory-utilization 0.85");
  EXPECT_EQ(asked("raise --mem-fraction-static 0.9", kSglang), "set --mem-fraction-static 0.9");
}

TEST_F(Changes, WhatIsHigherComesDownToTheAim) {
  EXPECT_EQ(asked("lower --gpu-memory-utilization 0.85",
                  "vllm serve Qwen/Qwen3-8B --gpu-memory-utilization 0.98"),
            "set --gpu-memory-utilization 0.85");
  EXPECT_EQ(asked("lower --max-num-seqs 64", "vllm serve Qwen/Qwen3-8B --max-num-seqs 512"),
            "set --max-num-seqs 64");
}

TEST_F(Changes, WhatIsLowerAlreadyGoesOneStepFurtherAndNeverBack) {
  EXPECT_EQ(asked("lower --gpu-memory-utilization 0.85",
                  "vllm serve Qwen/Qwen3-8B --gpu-memory-utilization 0.8"),
            "set --gpu-memory-utilization 0.75");
  EXPECT_EQ(asked("lower --max-num-seqs 64", "vllm serve Qwen/Qwen3-8B --max-num-seqs 16"),
            "set --max-num-seqs 8");
  EXPECT_EQ(asked("raise --mem-fraction-static 0.9",
                  std::string(kSglang) + " --mem-fraction-static 0.91"),
            "set --mem-fraction-static 0.96");
}

TEST_F(Changes, AtTheEndThereIsNoStep) {
  EXPECT_EQ(asked("lower --max-num-seqs 64", "vllm serve Qwen/Qwen3-8B --max-num-seqs 1"), "none");
  EXPECT_EQ(asked("lower --gpu-memory-utilization 0.85",
                  "vllm serve Qwen/Qwen3-8B --gpu-memory-utilization 0.3"),
            "none");
  EXPECT_EQ(asked("raise --mem-fraction-static 0.9",
                  std::string(kSglang) + " --mem-fraction-static 0.95"),
            "none");
}

TEST_F(Changes, OtherWordsStay) {
  EXPECT_EQ(asked("add --enforce-eager", "vllm serve Qwen/Qwen3-8B"), "add --enforce-eager");
  EXPECT_EQ(rule_meant("like cli-flag-unknown"), "cli-flag-unknown");
  EXPECT_EQ(rule_meant("set --port 8001"), "");
}

}  // namespace
}  // namespace sx
