// A launch put into an image: the line that docker or podman gets.
#include "run/image_command.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "run/engine_launch.h"
#include "sys/files.h"

namespace sx {
namespace {

struct Made {
  MemoryFiles files;
  ImageAsk ask;
  Made() {
    ask.settings.image = "vllm/vllm-openai:v0.14.0";
    ask.environment = {{"HOME", "/home/a"}, {"PATH", "/bin"}};
    ask.folder = "/srv";
  }
  std::string line(const std::string& command) const {
    Sources sources;
    Outside outside;
    outside.files = &files;
    outside.folder = "/srv";
    outside.nvml = [] { return Result<NvmlAnswer>(fail(Error::Kind::Absent, "none", "无")); };
    const auto gathered = gather_commands(sources, {.argv = {command}}, outside);
    if (!gathered) return gathered.error().what;
    const auto words = image_command(gathered->launches.at(0), ask, files);
    return words ? join(*words, " ") : words.error().what;
  }
};

constexpr const char* kCache =
    "--volume /home/a/.cache/huggingface:/home/a/.cache/huggingface "
    "--env HF_HOME=/home/a/.cache/huggingface ";

TEST(ImageCommand, ALaunchOfTheImagesOwnProgramLeavesItOut) {
  EXPECT_EQ(Made().line("vllm serve org/m -tp 2"), std::string("docker run --ipc host ") + kCache +
                                                       "vllm/vllm-openai:v0.14.0 org/m -tp 2");
}

TEST(ImageCommand, AnotherProgramIsTheEntrypoint) {
  Made made;
  // Up to 0.13 the image starts the server's module, which takes no model by its place.
  made.ask.settings.image = "vllm/vllm-openai:v0.11.0";
  EXPECT_EQ(made.line("vllm serve org/m"),
            std::string("docker run --ipc host ") + kCache +
                "--entrypoint vllm vllm/vllm-openai:v0.11.0 serve org/m");
  made.ask.settings.image = "registry.corp/serving:7";
  EXPECT_EQ(made.line("python3 -m sglang.launch_server --model-path org/m"),
            std::string("docker run --ipc host ") + kCache +
                "--entrypoint python3 registry.corp/serving:7 -m sglang.launch_server "
                "--model-path org/m");
  // No entrypoint of its own.
  made.ask.settings.image = "lmsysorg/sglang:v0.5.5";
  EXPECT_EQ(made.line("python3 -m sglang.launch_server --model-path org/m"),
            std::string("docker run --ipc host ") + kCache +
                "lmsysorg/sglang:v0.5.5 python3 -m sglang.launch_server --model-path org/m");
}

TEST(ImageCommand, WhatTheFileSaysOfTheContainerIsSaidToIt) {
  Made made;
  made.ask.gpus = true;
  made.ask.settings.shm_gib = 16;
  made.ask.settings.host_network = true;
  made.ask.settings.mounts = {"/data/models:/models:ro", "~/x:/x", "./y:/y", "named:/z"};
  made.ask.settings.options = {"--ulimit", "memlock=-1"};
  EXPECT_EQ(made.line("vllm serve /models/m"),
            "docker run --gpus all --network host --shm-size 16g --volume /data/models:/models:ro "
            "--volume /home/a/x:/x --volume /srv/./y:/y --volume named:/z --ulimit memlock=-1 "
            "vllm/vllm-openai:v0.14.0 /models/m");
  made.ask.settings.program = "podman";
  EXPECT_TRUE(
      made.line("vllm serve /models/m").starts_with("podman run --device nvidia.com/gpu=all "));
}

// "statfs …: no such file or directory", where docker makes the folder.
TEST(ImageCommand, PodmanIsGivenNoCacheThatIsNotThere) {
  Made made;
  made.ask.settings.program = "podman";
  made.ask.environment.insert({"HF_HUB_CACHE", "/nowhere/hub"});
  EXPECT_EQ(made.line("vllm serve org/m"), "podman run --ipc host vllm/vllm-openai:v0.14.0 org/m");
  made.files.add("/home/a/.cache/huggingface/token", "x");
  EXPECT_EQ(made.line("vllm serve org/m"),
            std::string("podman run --ipc host ") + kCache + "vllm/vllm-openai:v0.14.0 org/m");
}

TEST(ImageCommand, EveryCacheThatIsThereLiesInside) {
  Made made;
  made.files.add("/home/a/.cache/modelscope/hub/models/o/n/config.json", "{}")
      .add("/home/a/.cache/llama.cpp/m.gguf", "x");
  EXPECT_NE(made.line("vllm serve org/m")
                .find("--volume /home/a/.cache/modelscope:/home/a/.cache/modelscope --env "
                      "MODELSCOPE_CACHE=/home/a/.cache/modelscope --volume "
                      "/home/a/.cache/llama.cpp:/home/a/.cache/llama.cpp --env LLAMA_CACHE="),
            std::string::npos)
      << made.line("vllm serve org/m");
  made.ask.environment.insert({"VLLM_CACHE_ROOT", "/fast/vllm"});
  EXPECT_NE(made.line("vllm serve org/m")
                .find("--volume /fast/vllm:/fast/vllm --env VLLM_CACHE_ROOT=/fast/vllm vllm/"),
            std::string::npos)
      << made.line("vllm serve org/m");
}

TEST(ImageCommand, AModelOfThisMachineLiesInsideWhereItLiesOutside) {
  Made made;
  made.files.add("/data/m/config.json", "{}")
      .add("/srv/here/config.json", "{}")
      .add("/gguf/a-00001-of-00002.gguf", "x")
      .add("/hub/models--org--m/snapshots/abc/config.json", "{}");
  EXPECT_NE(made.line("vllm serve /data/m").find("--volume /data/m:/data/m:ro vllm/"),
            std::string::npos)
      << made.line("vllm serve /data/m");
  EXPECT_NE(
      made.line("vllm serve here")
          .find("--workdir /srv --volume /srv/here:/srv/here:ro vllm/vllm-openai:v0.14.0 here"),
      std::string::npos)
      << made.line("vllm serve here");
  // A download is links into its repository.
  EXPECT_NE(made.line("vllm serve /hub/models--org--m/snapshots/abc")
                .find("--volume /hub/models--org--m:/hub/models--org--m:ro"),
            std::string::npos);
  made.ask.settings.image = "ghcr.io/ggml-org/llama.cpp:server";
  const std::string parts = made.line("llama-server -m /gguf/a-00001-of-00002.gguf");
  EXPECT_NE(parts.find("--volume /gguf:/gguf:ro ghcr.io/ggml-org/llama.cpp:server -m /gguf"),
            std::string::npos)
      << parts;
}

TEST(ImageCommand, VariablesGoInsideButNotThoseOfThisMachine) {
  Made made;
  made.ask.environment.insert({{"HF_TOKEN", "hf_x"},
                               {"VLLM_LOGGING_LEVEL", "DEBUG"},
                               {"NCCL_DEBUG", "INFO"},
                               {"CUDA_HOME", "/usr/local/cuda"},
                               {"LD_LIBRARY_PATH", "lib"},
                               {"NVIDIA_VISIBLE_DEVICES", "1"},
                               {"AWS_KEY", "s"}});
  const std::string line = made.line("env CUDA_VISIBLE_DEVICES=1 NCCL_DEBUG=WARN vllm serve org/m");
  EXPECT_NE(line.find("--env HF_TOKEN --env VLLM_LOGGING_LEVEL --env CUDA_VISIBLE_DEVICES=1 "
                      "--env NCCL_DEBUG=WARN vllm/"),
            std::string::npos)
      << line;
  for (const char* outside : {"hf_x", "CUDA_HOME", "LD_LIBRARY", "NVIDIA_", "AWS_", "env PATH"})
    EXPECT_EQ(line.find(outside), std::string::npos) << outside;
}

TEST(ImageCommand, WhatCannotBePutThereIsSaid) {
  Made made;
  EXPECT_EQ(made.line("docker run vllm/vllm-openai:v0.11.0 --model m"),
            "model.image stands there, and the command starts a container itself");
  made.ask.settings.options = {"--ulimit"};
  EXPECT_NE(made.line("vllm serve m").find("would be taken for the image"), std::string::npos)
      << made.line("vllm serve m");
  made.ask.settings.options = {"memlock=-1"};
  EXPECT_EQ(made.line("vllm serve m"),
            "model.container_options: memlock=-1 would be taken for the image, in place of "
            "vllm/vllm-openai:v0.14.0");
  made.ask.settings.options = {"--no-such"};
  EXPECT_EQ(made.line("vllm serve m"),
            "docker has no option --no-such: where its image stands is not known");
  made.ask.settings.options = {"--rm", "--"};
  EXPECT_EQ(made.line("vllm serve m"),
            "model.container_options: behind -- no option can stand, and others are put there");
}

// What is made here is read as what people write, and held like it.
TEST(ImageCommand, TheLineIsALaunchInItsContainer) {
  Made made;
  made.ask.settings.image = "vllm/vllm-openai:v0.11.0";
  Sources sources;
  Outside outside;
  outside.files = &made.files;
  const auto gathered =
      gather_commands(sources, {.argv = {made.line("vllm serve org/m -tp 2")}}, outside);
  ASSERT_TRUE(gathered) << gathered.error().what;
  const Launch& launch = gathered->launches.at(0);
  EXPECT_EQ(launch.serve.version.text(), "0.11.0");
  EXPECT_EQ(launch.serve.model.value(), "org/m");
  const auto held =
      engine_launch(launch, {.port = 9001, .environment = {}, .folder = "", .gpus = {}});
  ASSERT_TRUE(held) << held.error().what;
  EXPECT_EQ(held->container, "docker");
  EXPECT_TRUE(join(held->words, " ")
                  .ends_with("--entrypoint vllm --publish 127.0.0.1:9001:9001 "
                             "vllm/vllm-openai:v0.11.0 serve org/m -tp 2 --host 0.0.0.0 --port "
                             "9001"))
      << join(held->words, " ");
}

}  // namespace
}  // namespace sx
