// From a command or a plan to what the daemon runs.
#include "cli/up_ask.h"

#include <gtest/gtest.h>

#include "cli/up_make.h"
#include "sys/files.h"

namespace sx {
namespace {

struct World {
  MemoryFiles files;
  Outside outside;
  World() {
    outside.files = &files;
    outside.folder = "/srv";
    outside.environment = Environment({{"PATH", "/bin"},
                                       {"HF_TOKEN", "hf_x"},
                                       {"VLLM_LOGGING_LEVEL", "INFO"},
                                       {"AWS_SECRET_ACCESS_KEY", "s"}});
    outside.nvml = [] { return Result<NvmlAnswer>(fail(Error::Kind::Absent, "none", "无")); };
    outside.standard_input = [] { return Result<std::string>(std::string()); };
  }
};

std::string plan(std::string_view parts) {
  return "{\"schema\":\"sextant.plan/1\",\"plans\":[" + std::string(parts) + "]}";
}

constexpr std::string_view kTp4 =
    R"({"label":"TP4","named":"A","fits":true,"gpus":[[0,1,2,3]],"commands":["env CUDA_VISIBLE_DEVICES=0,1,2,3 vllm serve m --tensor-parallel-size 4"]})";
constexpr std::string_view kThree =
    R"({"label":"3 x TP2","named":"C","fits":true,"gpus":[[0,1],[2,3],[4,5]],"commands":["env CUDA_VISIBLE_DEVICES=0,1 vllm serve m -tp 2 --port 8000","env CUDA_VISIBLE_DEVICES=2,3 vllm serve m -tp 2 --port 8001","env CUDA_VISIBLE_DEVICES=4,5 vllm serve m -tp 2 --port 8002"]})";
constexpr std::string_view kNot =
    R"({"label":"TP6","fits":false,"gpus":[[0]],"commands":["vllm serve m"]})";

std::string both() {
  return std::string(kTp4) + "," + std::string(kNot) + "," + std::string(kThree);
}

TEST(UpAsk, ReplicasOfACommandHaveTheirOwnPortsAndCards) {
  const World world;
  const auto made = deployment_of_command({"vllm", "serve", "m", "-tp", "2", "--port", "9"},
                                          {.name = "box", .replicas = 2}, world.outside);
  ASSERT_TRUE(made) << made.error().what;
  const auto& replicas = made->deployment.layouts.at(0).replicas;
  ASSERT_EQ(replicas.size(), 2U);
  EXPECT_NE(replicas[0].port, replicas[1].port);
  EXPECT_NE(replicas[0].port, 8000);  // that is the one address
  EXPECT_EQ(replicas[1].gpus, (std::vector<int>{2, 3}));
  EXPECT_EQ(replicas[1].environment.at("CUDA_VISIBLE_DEVICES"), "2,3");
  EXPECT_EQ(replicas[0].words,
            (std::vector<std::string>{"vllm", "serve", "m", "-tp", "2", "--port",
                                      std::to_string(replicas[0].port), "--host", "127.0.0.1"}));
  EXPECT_EQ(replicas[0].model, "m");
}

// Not the address that was given: that one may be taken, and is not listened on.
TEST(UpAsk, WhatIsCheckedIsWhatIsStarted) {
  const World world;
  const auto made = deployment_of_command(
      {"env", "NCCL_DEBUG=INFO", "vllm", "serve", "m", "--host", "0.0.0.0", "--port", "9"},
      {.name = "box"}, world.outside);
  ASSERT_TRUE(made) << made.error().what;
  const std::string port = std::to_string(made->deployment.layouts.at(0).replicas.at(0).port);
  EXPECT_EQ(made->commands,
            (std::vector<std::vector<std::string>>{{"env", "NCCL_DEBUG=INFO", "vllm", "serve", "m",
                                                    "--host", "127.0.0.1", "--port", port}}));
}

TEST(UpAsk, APlanThatLiesIsRefusedBeforeAnythingIsWritten) {
  const World world;
  const auto refusal = [&](const std::string& parts) {
    const auto made = deployment_of_plan(plan(parts), {}, world.outside);
    return made ? "made" : made.error().what;
  };
  const auto part = [](const std::string& gpus, const std::string& commands) {
    return R"({"label":"TP1","fits":true,"gpus":)" + gpus + R"(,"commands":[)" + commands + "]}";
  };
  const std::string good = R"("vllm serve m")";
  EXPECT_EQ(refusal(part("[[-1]]", good)), "the plan: gpus is missing or not as it should be");
  EXPECT_EQ(refusal(part("7", good)), "the plan: gpus is missing or not as it should be");
  std::string many = good;
  for (std::size_t i = 0; i < kMostInLayout; ++i) many += ',' + good;
  EXPECT_EQ(refusal(part("[]", many)), "the plan: commands is missing or not as it should be");
  EXPECT_EQ(refusal(part("[[0]]", R"("vllm serve m --seed \u00001")")),
            "the command line is no text: there are NUL bytes in it");
}

TEST(UpAsk, AnEngineGetsWhatItReadsAndNoSecretsOfOthers) {
  const World world;
  const auto made = deployment_of_command(
      {"vllm", "serve", "m"}, {.origin = origin_here(world.outside, "")}, world.outside);
  ASSERT_TRUE(made);
  const auto& environment = made->deployment.layouts.at(0).replicas.at(0).environment;
  EXPECT_TRUE(environment.contains("PATH") && environment.contains("HF_TOKEN"));
  EXPECT_TRUE(environment.contains("VLLM_LOGGING_LEVEL"));
  EXPECT_FALSE(environment.contains("AWS_SECRET_ACCESS_KEY"));
}

TEST(UpAsk, APlanIsFollowedByThoseThatNeedFewerCards) {
  const World world;
  const auto made = deployment_of_plan(plan(both()), {.rungs = false}, world.outside);
  ASSERT_TRUE(made) << made.error().what;
  ASSERT_EQ(made->deployment.layouts.size(), 2U);
  EXPECT_EQ(made->deployment.layouts[0].label, "TP4");
  EXPECT_EQ(made->deployment.layouts[1].label, "3 x TP2");
  EXPECT_EQ(made->deployment.layouts[1].replicas.size(), 3U);
  EXPECT_EQ(made->deployment.layouts[1].replicas[2].environment.at("CUDA_VISIBLE_DEVICES"), "4,5");
  EXPECT_TRUE(made->deployment.rungs.empty());
}

TEST(UpAsk, APlanIsChosenByNameOrLabel) {
  const World world;
  for (const char* wanted : {"C", "3 x TP2"}) {
    const auto made = deployment_of_plan(plan(both()), {.wanted = wanted}, world.outside);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->deployment.layouts.at(0).label, "3 x TP2");
    EXPECT_EQ(made->commands.size(), 3U);
  }
  EXPECT_FALSE(deployment_of_plan(plan(both()), {.wanted = "TP6"}, world.outside));
}

TEST(UpAsk, TheLadderHasOneReplicaOfEachSmallerSize) {
  const World world;
  const auto made = deployment_of_plan(plan(both()), {}, world.outside);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->deployment.rungs.size(), 1U);
  EXPECT_EQ(made->deployment.rungs[0].label, "TP2");
  EXPECT_EQ(made->deployment.rungs[0].replicas.size(), 1U);
  EXPECT_EQ(made->deployment.rungs[0].proves, "peer communication");
}

TEST(UpAsk, WhatIsNoPlanIsRefused) {
  const World world;
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{\"schema\":\"sextant.check/1\"}"), plan(""),
        plan(kNot), plan("7"),
        plan(R"({"label":"x","fits":true,"gpus":[[0]],"commands":["rm -rf /"]})"),
        plan(R"({"label":"x","fits":true,"gpus":[[-1]],"commands":[]})"),
        plan(R"({"label":"x","fits":true,"gpus":[[-1]],"commands":["vllm serve m"]})"),
        plan(R"({"label":"x","fits":true,"gpus":[["GPU-1"]],"commands":["vllm serve m"]})")})
    EXPECT_FALSE(deployment_of_plan(text, {}, world.outside)) << text;
}

}  // namespace
}  // namespace sx
