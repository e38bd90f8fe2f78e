// The key that a launch gives its engine, wherever it stands.
#include "run/engine_key.h"

#include <gtest/gtest.h>

#include "facts/secret_names.h"
#include "gather/outside.h"
#include "knowledge/engine_keys.h"
#include "run/container_launch.h"
#include "run/engine_launch.h"

namespace sx {
namespace {

using Variables = std::map<std::string, std::string>;

struct Asked {
  Variables ours;   // of the environment that `up` is called in
  Variables added;  // of the deployment file
  MemoryFiles files;
};

// "!" and the reason where it is an error.
std::string key_of(const std::string& line, const Asked& asked = {}) {
  Sources sources;
  const Outside outside = real_outside();
  const auto gathered = gather_commands(sources, {.argv = {line}}, outside);
  if (!gathered) return "!" + gathered.error().what;
  auto made =
      engine_launch(gathered->launches.at(0),
                    {.port = 9001, .environment = asked.ours, .folder = "/srv", .gpus = {}});
  if (!made) return "!" + made.error().what;
  for (const auto& [name, value] : asked.added) set_variable(*made, name, value);
  const auto taken = take_engine_key(*made, gathered->launches.at(0), asked.files);
  return taken ? made->key : "!" + taken.error().what;
}

TEST(EngineKey, IsThatOfTheFlag) {
  EXPECT_EQ(key_of("vllm serve m"), "");
  EXPECT_EQ(key_of("vllm serve m --api-key sk-one sk-two"), "sk-one");
  EXPECT_EQ(key_of("vllm serve m --api-key '' sk-two"), "sk-two") << "an empty one is none";
  EXPECT_EQ(key_of("python -m sglang.launch_server --model-path m --api-key sk-s"), "sk-s");
  EXPECT_EQ(key_of("llama-server -m m.gguf --api-key ,one,two"), "one");
  EXPECT_EQ(key_of("llama-server -m m.gguf --api-key ' one,two'"), "two")
      << "blanks belong to a key, and no header keeps them";
}

TEST(EngineKey, IsThatOfTheVariableWhereItCounts) {
  EXPECT_EQ(key_of("VLLM_API_KEY=sk-v vllm serve m"), "sk-v");
  EXPECT_EQ(key_of("vllm serve m", {.ours = {{"VLLM_API_KEY", "sk-ours"}}}), "sk-ours");
  EXPECT_EQ(key_of("vllm serve m", {.added = {{"VLLM_API_KEY", "sk-file"}}}), "sk-file");
  EXPECT_EQ(key_of("VLLM_API_KEY=sk-v vllm serve m --api-key sk-f"), "sk-f");
  EXPECT_EQ(key_of("VLLM_API_KEY=sk-v vllm serve m --api-key ''"), "") << "the flag wins";
  EXPECT_EQ(key_of("VLLM_API_KEY=sk-v python -m sglang.launch_server --model-path m"), "");
  EXPECT_EQ(key_of("LLAMA_API_KEY=a,b llama-server -m m.gguf"), "a");
  EXPECT_EQ(key_of("LLAMA_API_KEY=a llama-server -m m.gguf --api-key ''"), "a") << "they add up";
}

TEST(EngineKey, IsTheFirstLineOfTheFileThatIsOne) {
  Asked asked;
  asked.files.add("/srv/keys.txt", "# of the team\n\n with blanks \nsk-cr\r\nsk-file\nsk-next\n");
  asked.files.add("/srv/none.txt", "# nobody\n\n").add("/etc/keys", "sk-etc");
  EXPECT_EQ(key_of("llama-server -m m.gguf --api-key-file keys.txt", asked), "sk-file");
  EXPECT_EQ(key_of("llama-server -m m.gguf --api-key-file none.txt", asked), "");
  EXPECT_EQ(key_of("LLAMA_ARG_API_KEY_FILE=/etc/keys llama-server -m m.gguf", asked), "sk-etc");
  EXPECT_EQ(key_of("llama-server -m m.gguf --api-key k --api-key-file keys.txt", asked), "k");
  const std::string absent = key_of("llama-server -m m.gguf --api-key-file gone.txt", asked);
  EXPECT_TRUE(absent.starts_with("!the engine asks for a key of gone.txt (--api-key-file)"))
      << absent;
}

TEST(EngineKey, ThatCannotBeSentIsSaidAndNotShown) {
  for (const char* key : {"' sk-blank '", "sk-ключ"}) {
    const std::string told = key_of("vllm serve m --api-key " + std::string(key));
    EXPECT_TRUE(told.starts_with("!no key of --api-key can be sent")) << told;
    EXPECT_EQ(told.find("sk-"), std::string::npos) << told;
  }
  EXPECT_EQ(key_of("vllm serve m --api-key " + std::string(512, 'k')).size(), 512U);
  EXPECT_TRUE(key_of("vllm serve m --api-key " + std::string(513, 'k')).starts_with("!no key"));
}

TEST(EngineKey, OfAContainerIsWhatItIsHanded) {
  const std::string run = "docker run --gpus all ", image = "vllm/vllm-openai:v0.11.0 --model m";
  const Asked ours{.ours = {{"VLLM_API_KEY", "sk-ours"}}};
  EXPECT_EQ(key_of(run + "-e VLLM_API_KEY=sk-in " + image), "sk-in");
  EXPECT_EQ(key_of(run + image, ours), "") << "ours does not go inside by itself";
  EXPECT_EQ(key_of(run + "-e VLLM_API_KEY " + image, ours), "sk-ours");
  EXPECT_EQ(key_of(run + image, {.added = {{"VLLM_API_KEY", "sk-set"}}}), "sk-set");
  EXPECT_EQ(key_of(run + image + " --api-key sk-flag", ours), "sk-flag");
}

TEST(EngineKey, OfAContainersFileIsReadWhereItIsMountedAlone) {
  Asked asked;
  asked.files.add("/host/keys", "sk-host").add("/run/keys", "sk-not-this-one");
  const std::string image = "ghcr.io/ggml-org/llama.cpp:server -m m.gguf --api-key-file /run/keys";
  EXPECT_EQ(key_of("docker run -v /host:/run " + image, asked), "sk-host");
  const std::string told = key_of("docker run " + image, asked);
  EXPECT_TRUE(told.ends_with("it lies in the image, in no mounted folder")) << told;
}

TEST(EngineKey, WhatHoldsItIsKnownAsASecretByItsName) {
  for (const char* engine : {"vllm", "sglang", "llamacpp"}) {
    for (const EngineKeyPlace& place : engine_key_places(engine)) {
      const bool itself = place.holds != EngineKeyPlace::Holds::File;
      EXPECT_EQ(names_secret(place.name), itself) << place.name;
    }
  }
}

TEST(FirstKeyIn, IsTheFirstLineThatCanBeSent) {
  EXPECT_EQ(first_key_in("sk-a"), "sk-a");
  EXPECT_EQ(first_key_in("# team\r\n\r\nsk-a\r\nsk-b\r\n"), "sk-a");
  EXPECT_EQ(first_key_in(" sk-a\n"), "");
  EXPECT_EQ(first_key_in(std::string_view("sk\0a", 4)), "");
  EXPECT_EQ(first_key_in(""), "");
}

}  // namespace
}  // namespace sx
