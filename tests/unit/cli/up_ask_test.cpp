// From a command or a plan to what the daemon runs.
#include "cli/up_ask.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/strings.h"
#include "cli/up_make.h"
#include "unit/cli/up_world.h"

namespace sx {
namespace {

struct World : UpWorld {
  World()
      : UpWorld({{"HF_TOKEN", "hf_x"},
                 {"VLLM_LOGGING_LEVEL", "INFO"},
                 {"AWS_SECRET_ACCESS_KEY", "s"}}) {}
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
  // Not `env`, which would be there where the engine is not.
  EXPECT_EQ(made->deployment.layouts.at(0).replicas.at(0).words.front(), "vllm");
  const auto kept = deployment_of_command({"env", "-u", "HTTP_PROXY", "vllm", "serve", "m"},
                                          {.name = "box"}, world.outside);
  ASSERT_TRUE(kept) << kept.error().what;
  EXPECT_EQ(kept->deployment.layouts.at(0).replicas.at(0).words.front(), "env");
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

std::string said_of(const std::vector<std::string>& command, const UpAsk& ask = {}) {
  const World world;
  const auto made = deployment_of_command(command, ask, world.outside);
  if (!made) return made.error().what;
  return made->remarks.empty() ? "" : rendered(made->remarks.front(), Language::English);
}

TEST(UpAsk, WhatFollowsALaunchIsSaidToBeLeftOut) {
  for (const auto& [text, part] : {std::pair{"vllm serve m | tee x.log", "| tee x.log"},
                                   {"vllm serve m > x.log 2>&1", "> x.log 2>&1"},
                                   {"vllm serve m &", "&"}}) {
    EXPECT_EQ(said_of({text}), "left out: " + std::string(part) +
                                   "; an engine is started without a shell, its output is kept "
                                   "(`sextant logs`)");
  }
  EXPECT_EQ(said_of({"bash", "-c", "vllm serve m | tee x.log"}).substr(0, 23),
            "left out: | tee x.log; ");
  for (const char* nothing : {"vllm serve m", "env A=1 vllm serve m", "A=1 vllm serve m",
                              "exec vllm serve m", "vllm serve m  # as it was"})
    EXPECT_EQ(said_of({nothing}), "") << nothing;
}

TEST(UpAsk, OtherCommandsBesideALaunchAreRefused) {
  for (const auto& [text, part] : {std::pair{"cd /data && vllm serve m", "cd /data &&"},
                                   {"vllm serve m && echo done", "&& echo done"},
                                   {"vllm serve m | tee x; rm x", "| tee x; rm x"},
                                   {"source a; vllm serve m; echo b", "source a; … ; echo b"},
                                   {"while true; do vllm serve m; done", "while true; do … ; done"},
                                   {"(vllm serve m)", "( … )"}}) {
    const std::string said = said_of({text});
    EXPECT_NE(said.find("would not be run: " + std::string(part) + ';'), std::string::npos)
        << text << '\n'
        << said;
  }
}

// What a shell would have started is started without one.
TEST(UpAsk, AShellInFrontOfALaunchIsLeftAway) {
  const World world;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"bash", "-c", "vllm serve m"},
        {"exec vllm serve m"},
        {"sh -c 'exec vllm serve m'"}}) {
    const auto made = deployment_of_command(command, {}, world.outside);
    ASSERT_TRUE(made) << made.error().what;
    EXPECT_EQ(made->deployment.layouts.at(0).replicas.at(0).words.at(0), "vllm") << command.at(0);
  }
}

TEST(UpAsk, EachReplicaHasItsOwnValuesInTheCommandsPlaces) {
  const World world;
  const std::vector<std::string> command{
      "env", "CUDA_VISIBLE_DEVICES={gpus}", "vllm",        "serve",        "{model}", "-tp",
      "2",   "--served-model-name",         "m-{replica}", "--port={port}"};
  const auto made = deployment_of_command(
      command, {.replicas = 2, .gpus = {4, 5, 6, 7}, .model = "org/m"}, world.outside);
  ASSERT_TRUE(made) << made.error().what;
  const auto& replicas = made->deployment.layouts.at(0).replicas;
  ASSERT_EQ(replicas.size(), 2U);
  EXPECT_EQ(replicas[1].gpus, (std::vector<int>{6, 7}));
  EXPECT_EQ(replicas[1].environment.at("CUDA_VISIBLE_DEVICES"), "6,7");
  EXPECT_EQ(replicas[1].model, "m-1");
  const auto& words = replicas[1].words;
  EXPECT_NE(std::ranges::find(words, "--port=" + std::to_string(replicas[1].port)), words.end());
  EXPECT_NE(std::ranges::find(words, "org/m"), words.end());
  EXPECT_TRUE(made->deployment.rungs.empty());
}

TEST(UpAsk, GpusOfAnEngineThatTakesAllItSeesAreSharedOut) {
  const World world;
  const std::vector<std::string> command{"llama-server", "-m", "m.gguf"};
  const auto made =
      deployment_of_command(command, {.replicas = 2, .gpus = {1, 2, 3, 5}}, world.outside);
  ASSERT_TRUE(made) << made.error().what;
  const auto& replicas = made->deployment.layouts.at(0).replicas;
  EXPECT_EQ(replicas.at(1).gpus, (std::vector<int>{3, 5}));
  EXPECT_EQ(replicas.at(1).environment.at("CUDA_VISIBLE_DEVICES"), "3,5");
  EXPECT_EQ(said_of(command, {.replicas = 2, .gpus = {1}}),
            "it takes more GPUs than the 1 that model.gpus gives it");
  EXPECT_EQ(said_of({"llama-server", "-m", "{gpus}"}),
            "how many GPUs {gpus} stands for is not known of llamacpp: model.gpus says which");
}

TEST(UpAsk, ACommandInAnImageIsCheckedAndHeldAsItsContainer) {
  World world;
  UpAsk ask{.hands_in_gpus = true, .origin = origin_here(world.outside, "")};
  ask.image.image = "vllm/vllm-openai:v0.14.0";
  ask.environment = {{"NCCL_DEBUG", "INFO"}};
  const auto made = deployment_of_command({"vllm", "serve", "m", "-tp", "2"}, ask, world.outside);
  ASSERT_TRUE(made) << made.error().what;
  const EngineLaunch& replica = made->deployment.layouts.at(0).replicas.at(0);
  EXPECT_EQ(replica.container, "docker");
  EXPECT_EQ(replica.version, "0.14.0");
  EXPECT_EQ(replica.environment.at("HF_TOKEN"), "hf_x");
  EXPECT_EQ(made->commands.at(0), replica.words);
  const std::string port = std::to_string(replica.port);
  EXPECT_EQ(join(replica.words, " "),
            "docker run --gpus all --ipc host --env HF_TOKEN --env VLLM_LOGGING_LEVEL --publish "
            "127.0.0.1:" +
                port + ':' + port +
                " --env NCCL_DEBUG=INFO vllm/vllm-openai:v0.14.0 m "
                "-tp 2 --host 0.0.0.0 --port " +
                port);
  ASSERT_EQ(made->deployment.rungs.size(), 1U);
  EXPECT_EQ(made->deployment.rungs[0].replicas.at(0).container, "docker");
}

TEST(UpAsk, APlanInAnImageIsItsContainers) {
  World world;
  UpAsk ask{.origin = origin_here(world.outside, "")};
  ask.image = {.image = "vllm/vllm-openai:v0.14.0", .host_network = true};
  const auto made = deployment_of_plan(plan(kThree), ask, world.outside);
  ASSERT_TRUE(made) << made.error().what;
  const EngineLaunch& second = made->deployment.layouts.at(0).replicas.at(1);
  EXPECT_EQ(second.gpus, (std::vector<int>{2, 3}));
  EXPECT_EQ(join(second.words, " "),
            "docker run --network host --ipc host --env HF_TOKEN --env VLLM_LOGGING_LEVEL --env "
            "CUDA_VISIBLE_DEVICES=2,3 vllm/vllm-openai:v0.14.0 m -tp 2 --port " +
                std::to_string(second.port) + " --host 127.0.0.1");
}

// Or a reload would replace every container, and every launch that has its port in a word.
TEST(UpAsk, WhatRunsAtAnotherPortIsTheSame) {
  const World world;
  const auto made = [&](const std::string& image, std::vector<int> taken) {
    UpAsk ask{.model = "m", .origin = origin_here(world.outside, "")};
    ask.taken_ports = std::move(taken);
    ask.image.image = image;
    const auto told = deployment_of_command(
        {"vllm", "serve", "{model}", "--served-model-name", "m:{port}"}, ask, world.outside);
    EXPECT_TRUE(told) << told.error().what;
    return told ? told->deployment : Deployment{};
  };
  for (const char* image : {"", "vllm/vllm-openai:v0.14.0"}) {
    const Deployment running = made(image, {});
    const int port = running.layouts.at(0).replicas.at(0).port;
    Deployment next = made(image, {port});
    next.layouts[0].replicas[0].model = running.layouts[0].replicas[0].model;
    ASSERT_NE(next.layouts.at(0).replicas.at(0).port, port);
    keep_ports(next, running.layouts.at(0).replicas);
    EXPECT_EQ(next.layouts.at(0).replicas.at(0), running.layouts.at(0).replicas.at(0)) << image;
  }
}

}  // namespace
}  // namespace sx
