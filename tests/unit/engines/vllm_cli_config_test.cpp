// --config FILE: where its keys land, what wins, and what the file cannot say.
#include <gtest/gtest.h>

#include "vllm_cli_line.h"

namespace sx {
namespace {

using testing_vllm::kNewest;
using testing_vllm::problems;

testing_vllm::Understood with(const std::string& yaml,
                              const std::string& words = "vllm serve m --config a.yaml",
                              Version version = kNewest) {
  return testing_vllm::read(words, version, {{"a.yaml", yaml}, {"a.json", yaml}});
}

TEST(VllmConfig, KeysAreFlagsWithPlacesInTheFile) {
  const auto all = with(
      "tensor_parallel_size: 4\ngpu-memory-utilization: 0.85\nenforce-eager: true\nport: 0x1F90\n");
  EXPECT_EQ(problems(all.serve), "");
  EXPECT_EQ(all.serve.tensor_parallel.value(), 4);
  EXPECT_EQ(all.text(all.serve.tensor_parallel.span()), "tensor_parallel_size: 4");
  EXPECT_EQ(all.serve.tensor_parallel.span()->source, 1);
  EXPECT_DOUBLE_EQ(all.serve.memory_fraction.value(), 0.85);
  EXPECT_TRUE(all.serve.enforce_eager.value());
  EXPECT_EQ(all.serve.port.value(), 8080);
  const FlagUse* use = all.serve.use_of("--tensor-parallel-size");
  ASSERT_NE(use, nullptr);
  EXPECT_TRUE(use->spliced);
  EXPECT_EQ(use->word_count, 0U);
}

TEST(VllmConfig, TheCommandWinsWhereverItStands) {
  EXPECT_EQ(with("port: 1", "vllm serve m --port 2 --config a.yaml").serve.port.value(), 2);
  EXPECT_EQ(with("port: 1", "vllm serve m --config a.yaml --port 2").serve.port.value(), 2);
  EXPECT_EQ(with("port: 1",
                 "python -m vllm.entrypoints.openai.api_server --port 2 --config a.yaml --model m")
                .serve.port.value(),
            2);
}

TEST(VllmConfig, FalseDoesNothing) {
  const auto all = with("enable-prefix-caching: false\nno-enable-chunked-prefill: true\n");
  EXPECT_EQ(problems(all.serve), "no effect enable-prefix-caching");
  EXPECT_EQ(all.serve.problems[0].name, "--enable-prefix-caching");
  EXPECT_EQ(all.text(all.serve.problems[0].span), "enable-prefix-caching: false");
  EXPECT_TRUE(all.serve.prefix_caching.value());
  EXPECT_FALSE(all.serve.chunked_prefill.value());
}

TEST(VllmConfig, ListsAndMaps) {
  const auto all = with(
      "served-model-name: [a, b]\nspeculative-config: {method: mtp, num_speculative_tokens: 2, x: "
      "[1, no]}\n");
  EXPECT_EQ(problems(all.serve), "");
  EXPECT_EQ(all.serve.served_name.value(), "a");
  EXPECT_EQ(all.serve.speculative.value(),
            R"({"method": "mtp", "num_speculative_tokens": 2, "x": [1, false]})");
  EXPECT_EQ(
      problems(with("speculative-config: {method: mtp}", "vllm serve m --config a.yaml", {0, 14, 1})
                   .serve),
      "bad json --speculative-config");
}

TEST(VllmConfig, ModelOfTheFile) {
  const auto file = with("model: org/x", "vllm serve --config a.yaml");
  EXPECT_EQ(file.serve.model.value(), "org/x");
  EXPECT_EQ(file.serve.model_word, 0U);
  EXPECT_EQ(problems(file.serve), "");
  EXPECT_EQ(with("model: org/x", "vllm serve org/y --config a.yaml").serve.model.value(), "org/y");
  const auto none = with("port: 1", "vllm serve --config a.yaml");
  EXPECT_FALSE(none.serve.model.known());
  EXPECT_EQ(problems(none.serve), "missing value model_tag");
}

TEST(VllmConfig, FilesThatCannotBeRead) {
  EXPECT_EQ(problems(with("", "vllm serve m --config b.yaml").serve), "config unreadable --config");
  EXPECT_EQ(problems(with("{}", "vllm serve m --config a.json").serve),
            "config unreadable --config");
  EXPECT_EQ(problems(with("- a\n- b\n").serve), "config unreadable --config");
  EXPECT_EQ(problems(with("a: [").serve), "config unreadable --config");
  EXPECT_EQ(problems(with("port: 1", "vllm serve m --config a.yaml --config a.yaml").serve),
            "config unreadable --config");
  EXPECT_EQ(problems(with("", "vllm serve m --config").serve), "missing value --config");
  EXPECT_EQ(problems(with("", "vllm serve m --config $FILE").serve), "");
}

TEST(VllmConfig, WrongKeysStandInTheFile) {
  const auto all = with("tp: 4\nport: eighty\n");
  EXPECT_EQ(problems(all.serve), "unknown --tp; wrong type --port");
  EXPECT_EQ(all.text(all.serve.problems[0].span), "tp: 4");
  EXPECT_EQ(all.text(all.serve.problems[1].span), "port: eighty");
}

}  // namespace
}  // namespace sx
