// What the environment says of a vLLM launch, and which commands are one.
#include <gtest/gtest.h>

#include "engines/vllm/recognise.h"
#include "vllm_cli_line.h"

namespace sx {
namespace {

using testing_vllm::command_of;
using testing_vllm::kNewest;
using testing_vllm::set;

ServeSpec with(std::initializer_list<std::pair<const char*, const char*>> variables,
               const char* words = "vllm serve m") {
  Sources sources;
  Command command = command_of(sources, words);
  for (const auto& [name, value] : variables) set(command, name, value);
  return vllm::understand(command, kNewest, sources, {});
}

TEST(VllmEnvironment, VariablesBecomeFacts) {
  const auto serve = with({{"CUDA_VISIBLE_DEVICES", "0,1"},
                           {"CUDA_VISIBLE_DEVICES", "2,3"},
                           {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
                           {"VLLM_PP_LAYER_PARTITION", "20, 30"},
                           {"VLLM_ALLOW_LONG_MAX_MODEL_LEN", "True"},
                           {"VLLM_API_KEY", "k"}});
  EXPECT_EQ(serve.visible_devices.value(), "2,3");
  EXPECT_EQ(serve.visible_devices.origin(), Origin::Environment);
  EXPECT_EQ(serve.device_order.value(), "PCI_BUS_ID");
  EXPECT_EQ(serve.partition.value().layers, (std::vector<int>{20, 30}));
  EXPECT_TRUE(serve.allow_long_max_len.value());
  EXPECT_TRUE(serve.has_api_key.value());
}

TEST(VllmEnvironment, UnsetIsUnknownWithoutAReason) {
  const auto serve = with({});
  EXPECT_FALSE(serve.visible_devices.known());
  EXPECT_TRUE(serve.visible_devices.why_unknown().empty());
  EXPECT_FALSE(serve.partition.known());
  EXPECT_TRUE(serve.partition.why_unknown().empty());
  EXPECT_FALSE(serve.allow_long_max_len.value());
}

TEST(VllmEnvironment, NonsenseSaysWhy) {
  const auto serve = with({{"VLLM_PP_LAYER_PARTITION", "20,x"}});
  EXPECT_FALSE(serve.partition.known());
  EXPECT_EQ(rendered(serve.partition.why_unknown(), Language::English),
            "20,x is not a list of layer counts");
}

TEST(VllmEnvironment, TheFlagWinsOverTheVariable) {
  EXPECT_FALSE(with({{"VLLM_API_KEY", "k"}}, "vllm serve m --api-key ''").has_api_key.value());
  EXPECT_EQ(with({{"VLLM_API_KEY", "k"}}, "vllm serve m --api-key x").has_api_key.origin(),
            Origin::Flag);
  EXPECT_FALSE(with({{"VLLM_API_KEY", ""}}).has_api_key.value());
}

std::optional<std::size_t> recognised(const char* words) {
  Sources sources;
  return vllm::recognises(command_of(sources, words).words);
}

TEST(VllmRecognises, Launches) {
  EXPECT_EQ(recognised("vllm serve m"), 0U);
  EXPECT_EQ(recognised("/opt/venv/bin/vllm serve"), 0U);
  EXPECT_EQ(recognised("python -m vllm.entrypoints.openai.api_server"), 0U);
  EXPECT_EQ(recognised("/usr/bin/python3.12 -u -X dev -m vllm.entrypoints.openai.api_server"), 0U);
  EXPECT_EQ(recognised("python3 -m vllm.entrypoints.cli.main serve m"), 0U);
  EXPECT_EQ(recognised("python3 /opt/bin/vllm serve m"), 0U);
  EXPECT_EQ(recognised("uv run vllm serve m"), 2U);
  EXPECT_EQ(recognised("uv run --with vllm vllm serve m"), 4U);
  EXPECT_EQ(recognised("uvx vllm serve m"), 1U);
}

TEST(VllmRecognises, OtherCommandsAreNone) {
  for (const char* words : {"",
                            "vllm",
                            "vllm chat",
                            "vllm bench serve",
                            "vllm --help",
                            "vllm serve --help",
                            "vllm serve -h",
                            "vllm serve --help=all",
                            "python -m vllm.entrypoints.api_server",
                            "python serve.py vllm serve",
                            "python -c vllm serve",
                            "python",
                            "python -m",
                            "python -X",
                            "pip install vllm",
                            "echo vllm serve m",
                            "pythonic -m vllm.entrypoints.openai.api_server",
                            "sglang serve m",
                            "uv pip install vllm serve",
                            "uv run"}) {
    EXPECT_FALSE(recognised(words).has_value()) << words;
  }
}

TEST(VllmRecognises, WhatIsNoLaunchHasNoEngine) {
  Sources sources;
  EXPECT_EQ(vllm::understand(command_of(sources, "ls -l"), kNewest, sources, {}).engine, "");
}

TEST(Engines, AreFoundByName) {
  ASSERT_NE(find_engine("vllm"), nullptr);
  EXPECT_EQ(find_engine("vllm")->name, "vllm");
  EXPECT_EQ(find_engine("vlm"), nullptr);
  EXPECT_EQ(all_engines().size(), 3U);
  for (const Engine* engine : all_engines()) EXPECT_EQ(find_engine(engine->name), engine);
}

}  // namespace
}  // namespace sx
