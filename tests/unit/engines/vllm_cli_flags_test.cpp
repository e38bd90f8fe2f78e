// Words of a vLLM launch: spellings, values, what is wrong with them; and facts with their places.
#include <gtest/gtest.h>

#include "vllm_cli_line.h"

namespace sx {
namespace {

using testing_vllm::problems;
using testing_vllm::read;

struct Spelled {
  const char* words;
  int tensor;
};

class TensorParallelFlag : public testing::TestWithParam<Spelled> {};

TEST_P(TensorParallelFlag, IsRead) {
  const auto all = read(std::string("vllm serve m ") + GetParam().words);
  EXPECT_EQ(problems(all.serve), "");
  ASSERT_TRUE(all.serve.tensor_parallel.known());
  EXPECT_EQ(all.serve.tensor_parallel.value(), GetParam().tensor);
  EXPECT_EQ(all.serve.tensor_parallel.origin(), Origin::Flag);
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, TensorParallelFlag,
    testing::Values(Spelled{"--tensor-parallel-size 8", 8}, Spelled{"--tensor_parallel_size=8", 8},
                    Spelled{"--tensor_parallel_size 8", 8}, Spelled{"-tp 8", 8},
                    Spelled{"-tp=8", 8}, Spelled{"--tensor-parallel 8", 8},
                    Spelled{"--tensor-p=8", 8}, Spelled{"-t 8", 8}, Spelled{"-tp ' 8 '", 8},
                    Spelled{"-tp 1_0", 10}, Spelled{"-tp +4", 4}, Spelled{"-tp 2 -tp 4", 4},
                    Spelled{"-tp -1", -1}));

struct Wrong {
  const char* words;
  const char* said;
};

class WrongWords : public testing::TestWithParam<Wrong> {};

TEST_P(WrongWords, AreSaid) {
  EXPECT_EQ(problems(read(std::string("vllm serve m ") + GetParam().words).serve), GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    Newest, WrongWords,
    testing::Values(
        Wrong{"-tp", "missing value -tp"}, Wrong{"-tp eight", "wrong type -tp"},
        Wrong{"-tp 2.0", "wrong type -tp"}, Wrong{"-tp 8k", "wrong type -tp"},
        Wrong{"-tp2", "unknown -tp2"}, Wrong{"--tp 2", "unknown --tp"},
        Wrong{"--tp-size 2 --pp 2", "unknown --tp-size; unknown --pp"},
        Wrong{"--max-num 2", "ambiguous --max-num"}, Wrong{"--device cuda", "removed --device"},
        Wrong{"--task generate", "removed --task"}, Wrong{"-tp --port 1", "missing value -tp"},
        Wrong{"--enforce-eager=true", "unwanted value --enforce-eager"},
        Wrong{"--enforce-eager true", "unwanted value --enforce-eager"},
        Wrong{"--no-enforce-eager=1", "unwanted value --no-enforce-eager"},
        Wrong{"--no-headless", "unknown --no-headless"}, Wrong{"--gpu-mem 0.8", ""},
        Wrong{"--gpu-mem most", "wrong type --gpu-mem"}, Wrong{"--gpu-mem 5 --port 99999999", ""},
        Wrong{"--max-model-len 1.5K", "wrong type --max-model-len"},
        Wrong{"--max-num-seqs 1k", "wrong type --max-num-seqs"},
        Wrong{"--block-size 1k", "wrong type --block-size"},
        Wrong{"--dtype float8", "not a choice --dtype"},
        Wrong{"--kv-cache-dtype fp9", "not a choice --kv-cache-dtype"},
        Wrong{"--attention-backend flashinfer", ""}, Wrong{"--attention-backend Auto", ""},
        Wrong{"--attention-backend FLASHINFR", "not a choice --attention-backend"},
        Wrong{"-q nonsense", ""}, Wrong{"-qawq", ""},
        Wrong{"--limit-mm-per-prompt image=2", "bad json --limit-mm-per-prompt"},
        Wrong{"--limit-mm-per-prompt.image 2", ""},
        Wrong{"--limit-mm-per-prompt '{\"image\": 2}'", ""},
        Wrong{"--allowed-origins '*'", "bad json --allowed-origins"},
        Wrong{"--allowed-origins '[\"*\"]'", ""},
        Wrong{"--compilation-config 3", "bad json --compilation-config"},
        Wrong{"-O3 -O 2 -O=1", ""},
        Wrong{"-cc.mode=3 -cc.cudagraph_mode FULL -cc.splitting_ops+ a,b", ""},
        Wrong{"--compilation_config.pass_config.fuse_x true", ""},
        Wrong{"-cc.mode", "missing value -cc.mode"},
        Wrong{"--hf-overrides '{\"a\": }'", "bad json --hf-overrides"},
        Wrong{"--hf-overrides some.module", ""},
        Wrong{"--hf-overrides '{\"a\": 1,}'", "bad json --hf-overrides"},
        Wrong{"other", "extra word other"}, Wrong{"-- other", "extra word other"},
        Wrong{"''", "extra word "}, Wrong{"--", ""}, Wrong{"--served-model-name a b c", ""},
        Wrong{"--api-key", "missing value --api-key"}, Wrong{"--disable-prefix-caching", ""},
        Wrong{"--seed -3", ""}, Wrong{"--hf-token", ""}, Wrong{"--chat-template '{{ a b }}'", ""},
        Wrong{"-ngl 99", "unknown -ngl"}, Wrong{"--config=serve.yaml", "config ignored --config"},
        Wrong{"--nonsense-flag 3", "unknown --nonsense-flag"}, Wrong{"--max_model_len auto", ""},
        Wrong{"--max-model-len '-1'", ""}, Wrong{"-- -tp", "extra word -tp"}));

struct Dated {
  Version version;
  const char* words;
  const char* said;
};

class OtherVersions : public testing::TestWithParam<Dated> {};

TEST_P(OtherVersions, ReadTheirOwnWay) {
  const auto& given = GetParam();
  EXPECT_EQ(problems(read(std::string("vllm serve m ") + given.words, given.version).serve),
            given.said);
}

INSTANTIATE_TEST_SUITE_P(
    ByVersion, OtherVersions,
    testing::Values(
        Dated{{0, 7, 3}, "--max-model-len 8k", "wrong type --max-model-len"},
        Dated{{0, 8, 5}, "--max-model-len 8k", ""},
        Dated{{0, 13, 0}, "--max-model-len auto", "wrong type --max-model-len"},
        Dated{{0, 14, 1}, "--max-model-len auto", ""},
        Dated{{0, 10, 2}, "--enable-chunked-prefill=false", ""},
        Dated{{0, 10, 2}, "--enable-chunked-prefill False", ""},
        Dated{{0, 11, 2},
              "--enable-chunked-prefill=false",
              "unwanted value --enable-chunked-prefill"},
        Dated{{0, 7, 3}, "--limit-mm-per-prompt image=2", ""},
        Dated{{0, 8, 5}, "--compilation-config 3", ""},
        Dated{{0, 8, 5}, "--kv-cache-memory-bytes 4G", "not yet --kv-cache-memory-bytes"},
        Dated{{0, 10, 0}, "--kv-cache-memory-bytes 4G", ""},
        Dated{{0, 9, 2}, "--disable-log-requests --swap-space 4 --task generate", ""},
        Dated{{0, 32, 0}, "--disable-prefix-caching", "not yet --disable-prefix-caching"},
        Dated{{0, 11, 2}, "--calculate-kv-scales --swap-space 4", ""},
        Dated{{0, 4, 0}, "--nonsense x -tp", ""}));

TEST(VllmFlags, HumanIntegersKeepTheirTwoMeanings) {
  EXPECT_EQ(read("vllm serve m --max-model-len 32K").serve.max_model_len.value(), Tokens{32768});
  EXPECT_EQ(read("vllm serve m --max-model-len 32k").serve.max_model_len.value(), Tokens{32000});
  EXPECT_EQ(read("vllm serve m --max-model-len 1.5k").serve.max_model_len.value(), Tokens{1500});
  EXPECT_EQ(read("vllm serve m --kv-cache-memory-bytes 4G").serve.kv_cache_bytes.value(), gib(4));
  EXPECT_FALSE(read("vllm serve m --max-model-len 99999999999T").serve.max_model_len.known());
}

TEST(VllmFlags, AutoIsNoLength) {
  for (const char* words : {"auto", "AUTO", "-1"}) {
    const auto all = read(std::string("vllm serve m --max-model-len ") + words);
    EXPECT_TRUE(all.serve.max_model_len_auto.value()) << words;
    EXPECT_FALSE(all.serve.max_model_len.known()) << words;
  }
  EXPECT_FALSE(read("vllm serve m --max-model-len 5").serve.max_model_len_auto.value());
}

TEST(VllmFlags, PlacesCoverFlagAndValue) {
  const auto all = read("vllm serve m --port=80 -tp 4 --served-model-name a b");
  EXPECT_EQ(all.text(all.serve.port.span()), "--port=80");
  EXPECT_EQ(all.text(all.serve.tensor_parallel.span()), "-tp 4");
  EXPECT_EQ(all.text(all.serve.model.span()), "m");
  EXPECT_EQ(all.serve.model_word, 2U);
  const FlagUse* port = all.serve.use_of("--port");
  ASSERT_NE(port, nullptr);
  EXPECT_EQ(all.text(port->name_span), "--port");
  EXPECT_EQ(port->typed, "--port");
  const FlagUse* names = all.serve.use_of("--served-model-name");
  ASSERT_NE(names, nullptr);
  EXPECT_EQ(names->first_word, 6U);
  EXPECT_EQ(names->word_count, 3U);
  EXPECT_EQ(all.text(names->span), "--served-model-name a b");
}

TEST(VllmFlags, ListsSwallowTheModel) {
  const auto all = read("vllm serve --served-model-name foo m/x");
  EXPECT_EQ(all.serve.model.value(), "Qwen/Qwen3-0.6B");
  EXPECT_EQ(all.serve.model.origin(), Origin::Default);
  EXPECT_EQ(all.serve.model_word, 0U);
  EXPECT_EQ(all.serve.use_of("--served-model-name")->values.size(), 2U);
}

TEST(VllmFlags, ModelIsAWordOrAFlag) {
  EXPECT_EQ(read("vllm serve -tp 2 m --port 1").serve.model.value(), "m");
  const auto flag = read("vllm serve -tp 2 --model m --port 1");
  EXPECT_EQ(flag.serve.model.value(), "m");
  EXPECT_EQ(flag.serve.model_word, 5U);
  EXPECT_EQ(problems(flag.serve), "");
  const auto both = read("vllm serve a --model b");
  EXPECT_EQ(both.serve.model.value(), "b");
  EXPECT_EQ(problems(both.serve), "extra word a");
  const auto module = read("python3.11 -u -m vllm.entrypoints.openai.api_server --model=m x");
  EXPECT_EQ(module.serve.model.value(), "m");
  EXPECT_EQ(problems(module.serve), "extra word x");
  EXPECT_EQ(read("vllm serve", {0, 9, 2}).serve.model.value(), "facebook/opt-125m");
}

TEST(VllmFlags, OtherEnginesSpellingsAreUnderstoodAndStillWrong) {
  const auto all = read("vllm serve m --tp 4 --context-length 8192 --mem-fraction-static 0.8");
  EXPECT_EQ(problems(all.serve),
            "unknown --tp; unknown --context-length; unknown --mem-fraction-static");
  EXPECT_EQ(all.serve.problems[0].candidates, std::vector<std::string>{"--tensor-parallel-size"});
  EXPECT_EQ(all.serve.problems[0].value, "4");
  EXPECT_EQ(all.serve.flags[0].name, "--tp");
  EXPECT_EQ(all.serve.flags[0].meant, "--tensor-parallel-size");
  EXPECT_EQ(all.serve.tensor_parallel.value(), 4);
  EXPECT_EQ(all.serve.max_model_len.value(), Tokens{8192});
  EXPECT_DOUBLE_EQ(all.serve.memory_fraction.value(), 0.8);
}

TEST(VllmFlags, NearestSpellingsAreOffered) {
  const auto all = read("vllm serve m --gpu-memory-utilisation 0.8");
  ASSERT_EQ(all.serve.problems.size(), 1U);
  ASSERT_FALSE(all.serve.problems[0].candidates.empty());
  EXPECT_EQ(all.serve.problems[0].candidates.front(), "--gpu-memory-utilization");
}

TEST(VllmFlags, AnUnknownSwitchLeavesTheModelAlone) {
  EXPECT_EQ(read("vllm serve --nonsense org/model").serve.model.value(), "org/model");
  EXPECT_EQ(read("vllm serve --nonsense 3 org/model").serve.model.value(), "org/model");
}

TEST(VllmFlags, WhatCannotBeKnownIsUnknownAndNoMistake) {
  const auto all =
      read("vllm serve $MODEL --tensor-parallel-size $TP --port=${PORT} -q $(pick) $EXTRA");
  EXPECT_EQ(problems(all.serve), "");
  EXPECT_FALSE(all.serve.model.known());
  EXPECT_FALSE(all.serve.tensor_parallel.known());
  EXPECT_FALSE(all.serve.port.known());
  EXPECT_EQ(rendered(all.serve.tensor_parallel.why_unknown(), Language::English),
            "the value comes from $TP, which is set nowhere in serve.sh");
  EXPECT_EQ(rendered(all.serve.port.why_unknown(), Language::English),
            "the value comes from ${PORT}, which is set nowhere in serve.sh");
  EXPECT_FALSE(all.serve.world_size().has_value());
}

TEST(VllmFlags, DefaultsAreThoseOfTheVersion) {
  const auto old = read("vllm serve m", {0, 19, 1}).serve;
  const auto young = read("vllm serve m", {0, 20, 2}).serve;
  EXPECT_DOUBLE_EQ(old.memory_fraction.value(), 0.90);
  EXPECT_DOUBLE_EQ(young.memory_fraction.value(), 0.92);
  EXPECT_EQ(young.memory_fraction.origin(), Origin::Default);
  EXPECT_EQ(young.tensor_parallel.value(), 1);
  EXPECT_EQ(young.data_parallel_local.value(), 1);
  EXPECT_EQ(young.port.value(), 8000);
  EXPECT_EQ(young.host.value(), "0.0.0.0");
  EXPECT_EQ(young.dtype.value(), "auto");
  EXPECT_FALSE(young.enforce_eager.value());
  EXPECT_TRUE(young.prefix_caching.value());
  EXPECT_FALSE(young.has_api_key.value());
  EXPECT_FALSE(young.trust_remote_code.value());
  EXPECT_FALSE(young.rope_overridden.value());
  EXPECT_FALSE(young.quantization.known());
  EXPECT_FALSE(young.max_model_len.known());
  EXPECT_FALSE(young.kv_cache_bytes.known());
  EXPECT_FALSE(young.max_num_seqs.known());
  EXPECT_EQ(young.cpu_offload.value(), Bytes{0});
}

TEST(VllmFlags, OpposedAndNegatedSwitches) {
  EXPECT_FALSE(read("vllm serve m --no-enable-prefix-caching").serve.prefix_caching.value());
  EXPECT_FALSE(read("vllm serve m --disable-prefix-caching").serve.prefix_caching.value());
  EXPECT_FALSE(read("vllm serve m --enable-chunked-prefill=false", {0, 10, 2})
                   .serve.chunked_prefill.value());
  EXPECT_TRUE(read("vllm serve m --enforce-eager").serve.enforce_eager.value());
}

TEST(VllmFlags, JsonOfManyUsesIsOne) {
  const auto all = read(
      "vllm serve m --speculative-config '{\"method\": \"mtp\", \"a\": {\"b\": 1}}' -sc.a.c=2 "
      "--speculative-config.l+ x,y "
      "--speculative_config.a.b off");
  EXPECT_EQ(problems(all.serve), "");
  EXPECT_EQ(all.serve.speculative.value(),
            R"({"method": "mtp", "a": {"b": "off", "c": 2}, "l": ["x", "y"]})");
  EXPECT_EQ(read("vllm serve m --spec-method ngram --spec-tokens 4").serve.speculative.value(),
            R"({"method": "ngram", "num_speculative_tokens": 4})");
}

TEST(VllmFlags, SpeculationByShortFlagsIsPlacedAtItsMethod) {
  const std::string line = "vllm serve m --spec-model 7 --spec-method ngram --spec-tokens many";
  const auto serve = read(line).serve;
  EXPECT_EQ(serve.speculative.value(),
            R"({"method": "ngram", "model": "7", "num_speculative_tokens": "many"})");
  ASSERT_TRUE(serve.speculative.span());
  const Span place = *serve.speculative.span();
  EXPECT_EQ(line.substr(place.begin, place.end - place.begin), "--spec-method ngram");
  EXPECT_FALSE(read("vllm serve m").serve.speculative.known());
}

TEST(VllmFlags, RopeIsSeenInTheOverrides) {
  EXPECT_TRUE(
      read("vllm serve m --hf-overrides.rope_scaling.factor 4").serve.rope_overridden.value());
  EXPECT_TRUE(read("vllm serve m --hf-overrides '{\"text_config\": {\"rope_theta\": 1}}'")
                  .serve.rope_overridden.value());
  EXPECT_FALSE(read("vllm serve m --hf-overrides '{\"architectures\": [\"X\"]}'")
                   .serve.rope_overridden.value());
  EXPECT_TRUE(read("vllm serve m --rope-scaling '{}'", {0, 9, 2}).serve.rope_overridden.value());
}

TEST(VllmFlags, SizesOfTheLaunch) {
  const auto serve = read("vllm serve m -tp 2 -pp 3 -dp 4 -dpl 2").serve;
  EXPECT_EQ(serve.world_size(), 6);
  EXPECT_EQ(serve.gpus_wanted(), 12);
  EXPECT_EQ(read("vllm serve m -tp 2 -dp 4").serve.gpus_wanted(), 8);
  EXPECT_EQ(read("vllm serve m -tp 2 -dp 4 -dpn 1").serve.gpus_wanted(), 2);
  EXPECT_EQ(read("vllm serve m -tp 8 -pp 2 -n 2").serve.gpus_wanted(), 8);
  EXPECT_FALSE(read("vllm serve m -tp 0").serve.world_size().has_value());
  EXPECT_FALSE(read("vllm serve m -tp 99999 -pp 99999").serve.world_size().has_value());
  EXPECT_FALSE(layout_of(read("vllm serve m -tp -3").serve).has_value());
  EXPECT_EQ(layout_of(read("vllm serve m -tp 2 -pp 2 -ep").serve),
            (Layout{.tensor = 2, .pipeline = 2, .expert = true}));
}

TEST(VllmFlags, Sockets) {
  const auto serve = read("vllm serve m --uds /tmp/s --port 1").serve;
  EXPECT_EQ(serve.host.value(), "unix:/tmp/s");
  EXPECT_FALSE(serve.port.known());
}

}  // namespace
}  // namespace sx
