// What of a command's text is started, and what of it nobody would run.
#include "cli/up_launch.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "run/engine_launch.h"
#include "unit/cli/up_world.h"

namespace sx {
namespace {

using Words = std::vector<std::string>;

// The launch in its words, or why there is none; behind it what is said beside it.
std::string told(const Words& command) {
  const UpWorld world;
  const auto read = read_launch_of(command, {}, world.outside);
  if (!read) return read.error().what;
  Words words = words_in_front(read->launch.command);
  for (const Word& word : read->launch.command.words) words.push_back(word.text);
  std::string all = join(words, " ");
  for (const Message& remark : read->remarks)
    all += " | " + rendered(remark, Language::English).substr(0, 40);
  return all;
}

TEST(UpLaunch, ShellsAroundALaunchAreNotStarted) {
  for (const Words& command :
       std::vector<Words>{{"bash", "-c", "vllm serve m"},
                          {"bash", "-c", "sh -c 'exec vllm serve m'"},
                          {"bash -c \"sh -c 'vllm serve m'\""},
                          {"bash", "-euo", "pipefail", "-c", "vllm serve m"},
                          {"bash", "-c", "exec \"$@\"", "bash", "vllm", "serve", "m"},
                          {"bash", "-c", "sh -c \"sh -c \\\"vllm serve m\\\"\""}})
    EXPECT_EQ(told(command), "vllm serve m") << join(command, " ");
  EXPECT_EQ(told({"nice", "-n", "5", "bash", "-c", "sh -c 'numactl -N 0 vllm serve m'"}),
            "nice -n 5 numactl -N 0 vllm serve m");
}

// Also where the text stands inside another and nobody can say where in it.
TEST(UpLaunch, WhatStandsBesideALaunchInAnyShellIsRefused) {
  for (const Words& command :
       std::vector<Words>{{"bash", "-c", "while true; do vllm serve m; done"},
                          {"bash", "-c", "sh -c 'cd /x && vllm serve m'"},
                          {"bash", "-c", "sh -c \"cd /x && vllm serve m\""},
                          {"bash", "-c", "sh -c \"sh -c \\\"cd /x; vllm serve m\\\"\""},
                          {"bash", "-c", "sh -c \"while true; do vllm serve \\\"m\\\"; done\""},
                          {"bash", "-c", "vllm serve m; echo over"},
                          {"sh -c '(vllm serve m)'"}}) {
    const std::string said = told(command);
    EXPECT_TRUE(said.starts_with("the command holds more than a launch")) << said;
    EXPECT_NE(
        said.find("this would not be run: " + std::string(command.size() > 1 ? "bash" : "sh")),
        std::string::npos)
        << said;
  }
  EXPECT_EQ(told({"bash", "-c", "vllm serve m 2>&1 | tee log"}),
            "vllm serve m | left out: 2>&1 | tee log; an engine is s");
}

// What is said is kept in logs of whoever called it.
TEST(UpLaunch, SecretsBesideALaunchAreNotSaid) {
  for (const Words& command :
       std::vector<Words>{{"export HF_TOKEN=mine && vllm serve m"},
                          {"bash", "-c", "sh -c \"cd /x; vllm serve m --api-key mine\""},
                          {"HF_TOKEN=mine vllm serve m 2>&1 | tee log"}})
    EXPECT_EQ(told(command).find("mine"), std::string::npos) << told(command);
}

TEST(UpLaunch, AProfileThatIsNotReadIsSaid) {
  EXPECT_EQ(told({"env", "A=B", "bash", "-lc", "vllm serve m"}),
            "env vllm serve m | no profile is read for bash -lc: an engi");
  EXPECT_EQ(told({"bash", "-c", "sh -l -c 'vllm serve m'"}),
            "vllm serve m | no profile is read for sh -l -c: an engi");
}

// The one that a person wrote for a terminal.
TEST(UpLaunch, OptionsOfAContainerThatAreOursAreSaid) {
  const UpWorld world;
  const auto said = [&](const std::string& line) {
    const auto read = read_launch_of({line}, {}, world.outside);
    if (!read) return read.error().what;
    std::string all;
    for (const Message& remark : read->remarks) all += rendered(remark, Language::English);
    return all.substr(0, all.find(';'));
  };
  const std::string image = " vllm/vllm-openai:v0.11.0 --model m";
  EXPECT_EQ(said("docker run --gpus all --name llm -p 8000:8000 --rm -it" + image),
            "left out: --name llm -p 8000:8000 --rm -it");
  EXPECT_EQ(said("docker run --gpus all --ipc=host -e A=1" + image), "");
  EXPECT_EQ(said("podman run -d --restart=always" + image), "left out: -d --restart=always");
}

TEST(UpLaunch, AScriptIsNotLookedInto) {
  EXPECT_EQ(told({"bash", "-e", "start.sh"}),
            "'bash' runs what stands in start.sh, which is not read here; a file is read with: "
            "sextant check -f start.sh");
  EXPECT_EQ(
      told({"bash"}),
      "not a launch of an engine this program knows: 'bash' (known: vLLM, SGLang, llama.cpp)");
}

TEST(UpLaunch, AValueThatWouldFallApartIsRefused) {
  const UpWorld world;
  const TemplateValues values{.model = "/a b.gguf"};
  const auto stay = [&](const Words& command) {
    const auto good = values_stay_words(command, values, world.outside);
    return good ? std::string("good") : good.error().what;
  };
  EXPECT_EQ(stay({"bash", "-c", "sh -c 'llama-server -m {model}'"}), "good");
  EXPECT_EQ(stay({"llama-server", "-m", "{model}"}), "good");
  EXPECT_TRUE(stay({"bash", "-c", "C='llama-server -m {model}'; $C"})
                  .starts_with("{model} stands in a text for a shell"))
      << stay({"bash", "-c", "C='llama-server -m {model}'; $C"});
}

}  // namespace
}  // namespace sx
