// A docker line as people write it, and the one that a keeper starts.
#include "run/container_launch.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "gather/gather_command.h"
#include "gather/outside.h"
#include "run/engine_launch.h"

namespace sx {
namespace {

Result<EngineLaunch> made_of(const std::string& line, int port = 9001) {
  Sources sources;
  const Outside outside = real_outside();
  auto gathered = gather_commands(sources, {.argv = {line}}, outside);
  if (!gathered) return std::unexpected(gathered.error());
  EngineLaunchAsk ask{
      .port = port,
      .environment = {{"PATH", "/bin"}, {"DOCKER_HOST", "unix:///x"}, {"SECRET", "s"}},
      .folder = "",
      .gpus = {}};
  return engine_launch(gathered->launches.at(0), ask);
}

TEST(ContainerLaunch, OurOwnOptionsReplaceThoseOfTheLine) {
  const auto made = made_of(
      "docker run -d --rm --name mine --gpus all -p 8000:8000 -v /models:/models "
      "vllm/vllm-openai:v0.11.0 --model /models/m --max-model-len 4096");
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(join(made->words, " "),
            "docker run --gpus all -v /models:/models --publish 127.0.0.1:9001:9001 "
            "vllm/vllm-openai:v0.11.0 --model /models/m --max-model-len 4096 --host 0.0.0.0 "
            "--port 9001");
  EXPECT_EQ(made->container, "docker");
  EXPECT_EQ(made->host, "127.0.0.1");
  EXPECT_EQ(made->environment.at("DOCKER_HOST"), "unix:///x");
  EXPECT_FALSE(made->environment.contains("SECRET"));
}

TEST(ContainerLaunch, OnTheMachinesNetworkItListensToThisMachineAlone) {
  const auto made = made_of(
      "podman run -it --network host --device nvidia.com/gpu=all vllm/vllm-openai:v0.11.0 "
      "--model m --port 8000");
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(join(made->words, " "),
            "podman run --network host --device nvidia.com/gpu=all vllm/vllm-openai:v0.11.0 "
            "--model m --port 9001 --host 127.0.0.1");
}

TEST(ContainerLaunch, EachStartHasANameALabelAndAMarkInFrontOfTheImage) {
  auto made = made_of("docker run --gpus all vllm/vllm-openai:v0.11.0 --model m");
  ASSERT_TRUE(made);
  set_variable(*made, "CUDA_VISIBLE_DEVICES", "1");
  EXPECT_EQ(made->environment.at("CUDA_VISIBLE_DEVICES"), "1");
  const auto words = container_words(*made, "/state/replicas/0", "abc");
  EXPECT_EQ(join(words, " "),
            "docker run --gpus all --publish 127.0.0.1:9001:9001 --env CUDA_VISIBLE_DEVICES "
            "--name sextant-abc --label sextant.replica=/state/replicas/0 --env "
            "SEXTANT_REPLICA=abc vllm/vllm-openai:v0.11.0 --model m --host 0.0.0.0 --port 9001");
}

TEST(ContainerLaunch, NoValueOfAVariableThatTheClientHasStandsOnItsCommandLine) {
  auto made =
      made_of("docker run --env A=1 --env B=2 --gpus all vllm/vllm-openai:v0.11.0 --model m");
  ASSERT_TRUE(made);
  set_variable(*made, "TOKEN", "hf_secret=x");
  made->environment["B"] = "other";
  const std::string line = join(container_words(*made, "/state/replicas/0", "abc"), " ");
  EXPECT_EQ(line.find("hf_secret"), std::string::npos) << line;
  for (const char* words : {"--env TOKEN ", "--env A ", "--env B=2 "})
    EXPECT_NE(line.find(words), std::string::npos) << words << line;
  EXPECT_EQ(made->environment.at("TOKEN"), "hf_secret=x");
}

TEST(ContainerLaunch, WhatCannotBeHeldIsSaid) {
  for (const char* line :
       {"docker exec -it box vllm serve m", "kubectl exec pod -- vllm serve m",
        "docker run --entrypoint bash vllm/vllm-openai:v0.11.0 -c \"vllm serve m\""}) {
    const auto made = made_of(line);
    ASSERT_FALSE(made) << line;
    EXPECT_FALSE(made.error().chinese.empty()) << line;
  }
}

}  // namespace
}  // namespace sx
