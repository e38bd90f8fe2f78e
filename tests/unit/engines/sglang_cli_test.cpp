// SGLang's command line: forms of a launch, plain argparse, what flags and variables mean.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "engines/sglang/recognise.h"
#include "knowledge/choices.h"
#include "sglang_cli_line.h"

namespace sx {
namespace {

using testing_sglang::command_of;
using testing_sglang::kNewest;
using testing_sglang::problems;
using testing_sglang::read;

std::string module_line(const std::string& flags) {
  return "python3 -m sglang.launch_server --model-path m " + flags;
}

ServeSpec serve_of(const std::string& flags, const Version& version = kNewest) {
  return read(module_line(flags), version).serve;
}

// ---- launches

TEST(SglangRecognises, EveryFormOfALaunch) {
  for (const char* words :
       {"sglang serve m", "/opt/venv/bin/sglang serve --model-path m",
        "python -m sglang.launch_server --model-path m",
        "python3.12 -u -X dev -m sglang.launch_server --model m",
        "python /opt/sglang/python/sglang/launch_server.py --model-path m",
        "python -m sglang.srt.server --model-path m", "python -m sglang.cli.main serve m",
        "uv run --with sglang sglang serve m", "uv run python -m sglang.launch_server --model m",
        "sglang serve --model-type llm m", "sglang serve m --model-type=auto"}) {
    Sources sources;
    EXPECT_TRUE(sglang::recognises(command_of(sources, words).words).has_value()) << words;
  }
}

TEST(SglangRecognises, NothingElse) {
  for (const char* words :
       {"sglang", "sglang version", "sglang generate --model-path m", "sglang serve --help",
        "python -m sglang.bench_serving --model m", "python -m sglang_router.launch_server",
        "vllm serve m", "sglang serve m --model-type diffusion",
        "sglang serve --model-type=diffusion",
        "python -m vllm.entrypoints.openai.api_server --model m", "pip install sglang serve"}) {
    Sources sources;
    EXPECT_FALSE(sglang::recognises(command_of(sources, words).words).has_value()) << words;
  }
}

TEST(SglangLaunch, OneEngineAloneRecognisesALine) {
  for (const char* words :
       {"sglang serve m", "vllm serve m", "python -m sglang.launch_server --model-path m"}) {
    Sources sources;
    const Command command = command_of(sources, words);
    int engines = 0;
    for (const Engine* engine : all_engines()) engines += engine->recognises(command.words) ? 1 : 0;
    EXPECT_EQ(engines, 1) << words;
  }
}

// ---- the model

struct ModelPlace {
  const char* words;
  const char* model;
  const char* problems;
};

class SglangModel : public testing::TestWithParam<ModelPlace> {};

TEST_P(SglangModel, IsWhereTheParserFindsIt) {
  const auto all = read(GetParam().words);
  EXPECT_EQ(all.serve.model.value_or("none"), GetParam().model) << GetParam().words;
  EXPECT_EQ(problems(all.serve), GetParam().problems) << GetParam().words;
}

INSTANTIATE_TEST_SUITE_P(
    Places, SglangModel,
    testing::Values(ModelPlace{"sglang serve m --tp 2", "m", ""},
                    ModelPlace{"sglang serve --model-type llm m --tp 2", "m", ""},
                    ModelPlace{"sglang serve --tp 2 m", "none",
                               "extra word m; missing value model_tag"},
                    ModelPlace{"sglang serve a b", "a", "extra word b"},
                    ModelPlace{"sglang serve a --model-path b", "b", ""},
                    ModelPlace{"sglang serve --model a --model-path b", "b", ""},
                    ModelPlace{"python -m sglang.launch_server m", "none",
                               "extra word m; missing value model_tag"},
                    ModelPlace{"python -m sglang.launch_server --model=m", "m", ""},
                    ModelPlace{"sglang serve --tp 2", "none", "missing value model_tag"},
                    ModelPlace{"sglang serve $MODEL", "none", ""},
                    ModelPlace{"sglang serve $ARGS", "none", ""},
                    ModelPlace{"python -m sglang.launch_server $ARGS", "none", ""}));

TEST(SglangModel, TheFileOfFlagsMayNameItAndTheCommandWins) {
  const std::vector<std::pair<std::string, std::string>> files{
      {"a.yaml", "model-path: f\ntp-size: 4\n"}, {"a.YAML", "model-path: f\n"}};
  EXPECT_EQ(read("sglang serve --config a.yaml", kNewest, files).serve.model.value(), "f");
  EXPECT_EQ(read("sglang serve m --config a.yaml", kNewest, files).serve.model.value(), "m");
  EXPECT_EQ(read("sglang serve --config a.YAML", kNewest, files).serve.model.value(), "f");
  const auto both = read(module_line("--tp 2 --config a.yaml"), kNewest, files).serve;
  EXPECT_EQ(both.model.value(), "m");
  EXPECT_EQ(both.tensor_parallel.value(), 2);
  EXPECT_EQ(problems(both), "");
}

TEST(SglangConfig, ComesWithItsVersion) {
  const auto all = read(module_line("--config a.yaml"), {0, 5, 2}, {{"a.yaml", "tp-size: 4\n"}});
  EXPECT_EQ(problems(all.serve), "not yet --config");
  EXPECT_EQ(all.serve.tensor_parallel.value(), 1);
}

TEST(SglangConfig, KeysAreNotFolded) {
  const auto all = read(module_line("--config a.yaml"), kNewest, {{"a.yaml", "tp_size: 4\n"}});
  EXPECT_EQ(problems(all.serve), "unknown --tp_size");
}

// ---- plain argparse

struct Said {
  const char* flags;
  Version version;
  const char* problems;
};

class SglangParser : public testing::TestWithParam<Said> {};

TEST_P(SglangParser, SaysWhatIsWrong) {
  EXPECT_EQ(problems(serve_of(GetParam().flags, GetParam().version)), GetParam().problems)
      << GetParam().flags << " in " << GetParam().version.text();
}

INSTANTIATE_TEST_SUITE_P(
    Lines, SglangParser,
    testing::Values(
        Said{"--tp 2", kNewest, ""}, Said{"--tensor-parallel-size=2", kNewest, ""},
        Said{"--tp_size 2", kNewest, "unknown --tp_size"}, Said{"-tp 2", kNewest, "unknown -tp"},
        Said{"--pp 2", {0, 5, 3}, ""}, Said{"--pp 2", {0, 5, 4}, "ambiguous --pp"},
        Said{"--context 9", {0, 5, 20}, ""}, Said{"--context 9", kNewest, "ambiguous --context"},
        Said{"--quant fp8", kNewest, "ambiguous --quant"},
        Said{"--attn-dp 2", {0, 5, 21}, "unknown --attn-dp"}, Said{"--attn-dp 2", kNewest, ""},
        Said{"--attn-dp-size 2", {0, 5, 21}, "not yet --attn-dp-size"},
        Said{"--cuda-graph-max-bs 8", {0, 5, 19}, ""},
        Said{"--cuda-graph-max-bs 8", {0, 5, 20}, "removed --cuda-graph-max-bs"},
        Said{"--enable-ep-moe", {0, 5, 4}, ""},
        Said{"--enable-ep-moe", {0, 5, 5}, "removed --enable-ep-moe"},
        Said{"--mem-fraction-static high", kNewest, "wrong type --mem-fraction-static"},
        Said{"--tp two", kNewest, "wrong type --tp"}, Said{"--tp", kNewest, "missing value --tp"},
        Said{"--tp 8k", kNewest, "wrong type --tp"}, Said{"--context-length 32k", kNewest, ""},
        Said{"--chunked-prefill-size -1", kNewest, ""},
        Said{"--disable-cuda-graph=true", kNewest, "unwanted value --disable-cuda-graph"},
        Said{"--json-model-override-args {a", kNewest, "bad json --json-model-override-args"},
        Said{"--speculative-config.method x", kNewest, "unknown --speculative-config.method"},
        Said{"--quantization mxfp8", kNewest, ""},
        Said{"--quantization mxfp8", {0, 5, 8}, "not a choice --quantization"},
        Said{"--quantization mxfp8", {0, 5, 9}, ""}, Said{"--quantization qoq", {0, 5, 15}, ""},
        Said{"--quantization qoq", {0, 5, 16}, "not a choice --quantization"},
        Said{"--quantization q4", {0, 4, 6}, "not a choice --quantization"},
        Said{"--lora-paths a=b c=d --tp 2", kNewest, ""}));

TEST(SglangParser, KnowsNothingAgainstALineOlderThanItsTables) {
  const auto serve = serve_of("--nonsense 1 --tp 2", {0, 4, 4});
  EXPECT_FALSE(serve.flags_checked);
  EXPECT_EQ(problems(serve), "");
  EXPECT_EQ(serve.tensor_parallel.value(), 2);
}

TEST(SglangParser, AReleaseBetweenTwoMayHaveWhatTheNextOneHas) {
  const auto version = parse_version("0.4.6.post5");
  ASSERT_TRUE(version.has_value());
  const auto serve = serve_of("--pp-size 2", *version);
  EXPECT_EQ(problems(serve), "");
  ASSERT_NE(serve.use_of("--pp-size"), nullptr);
  EXPECT_TRUE(serve.use_of("--pp-size")->possible);
}

TEST(SglangParser, ADashInThePlaceOfAnUnderscoreIsTheOneSuggestion) {
  const auto serve = serve_of("--mem_fraction_static 0.8");
  ASSERT_EQ(serve.problems.size(), 1U);
  EXPECT_EQ(join(serve.problems[0].candidates, " "), "--mem-fraction-static");
}

TEST(SglangChoices, OfAVersionBetweenIncludeWhatItMayHave) {
  const EngineFlags& flags = *engine_flags("sglang");
  const FlagRow& row = *flags.find("--kv-cache-dtype");
  const auto has = [&](const Version& version, std::string_view choice) {
    const auto taken = choices_in(flags, row, version);
    return taken && std::ranges::find(*taken, choice) != taken->end();
  };
  EXPECT_FALSE(has({0, 5, 3}, "bf16"));
  EXPECT_TRUE(has(*parse_version("0.5.3.post2"), "bf16"));
  EXPECT_TRUE(has({0, 5, 4}, "bf16"));
  EXPECT_TRUE(has({0, 5, 20}, "fp4_e2m1"));
  EXPECT_FALSE(has({0, 5, 21}, "fp4_e2m1"));
}

TEST(VllmChoices, AreToldOnlyOfFlagsThatTheTableNames) {
  const EngineFlags& flags = *engine_flags("vllm");
  EXPECT_FALSE(choices_in(flags, *flags.find("--tokenizer-mode"), {0, 19, 1}).has_value());
  const auto has = [&](std::string_view flag, const Version& version, std::string_view choice) {
    const auto taken = choices_in(flags, *flags.find(flag), version);
    return taken && std::ranges::find(*taken, choice) != taken->end();
  };
  EXPECT_FALSE(has("--kv-cache-dtype", {0, 10, 2}, "bfloat16"));
  EXPECT_TRUE(has("--kv-cache-dtype", {0, 11, 0}, "bfloat16"));
  EXPECT_TRUE(has("--kv-cache-dtype", {0, 11, 2}, "bfloat16"));
  EXPECT_TRUE(has("--attention-backend", {0, 20, 2}, "TREE_ATTN"));
  EXPECT_FALSE(has("--attention-backend", {0, 23, 0}, "TREE_ATTN"));
}

// ---- what it means

TEST(SglangFacts, AttentionGroupsLieInsideTheTensorGroup) {
  const auto older = serve_of("--tp 8 --dp 4 --enable-dp-attention", {0, 5, 9});
  EXPECT_EQ(older.attention_data_parallel.value(), 4);
  EXPECT_EQ(older.data_parallel.value(), 1);
  EXPECT_EQ(older.gpus_wanted(), 8);
  const auto newer = serve_of("--tp 8 --attn-dp-size 4");
  EXPECT_EQ(newer.attention_data_parallel.value(), 4);
  EXPECT_EQ(newer.gpus_wanted(), 8);
  const auto replicas = serve_of("--tp 2 --dp 4");
  EXPECT_EQ(replicas.attention_data_parallel.value(), 1);
  EXPECT_EQ(replicas.gpus_wanted(), 8);
}

TEST(SglangFacts, MachinesShareAReplica) {
  const auto serve = serve_of("--tp 16 --nnodes 2 --node-rank 0 --dist-init-addr 10.0.0.1:5000");
  EXPECT_EQ(problems(serve), "");
  EXPECT_EQ(serve.node_count.value(), 2);
  EXPECT_EQ(serve.gpus_wanted(), 8);
}

struct Experts {
  const char* flags;
  Version version;
  int ranks;
  bool whole;
};

class SglangExperts : public testing::TestWithParam<Experts> {};

TEST_P(SglangExperts, AreSharedOutOverTheirRanks) {
  const auto serve = serve_of(GetParam().flags, GetParam().version);
  EXPECT_EQ(serve.expert_ranks.value(), GetParam().ranks) << GetParam().flags;
  EXPECT_EQ(serve.expert_parallel.value(), GetParam().whole) << GetParam().flags;
}

INSTANTIATE_TEST_SUITE_P(
    Flags, SglangExperts,
    testing::Values(Experts{"--tp 8", kNewest, 1, false},
                    Experts{"--tp 8 --ep-size 2", kNewest, 2, false},
                    Experts{"--tp 8 --ep 8", kNewest, 8, true},
                    Experts{"--tp 8 --ep 4 --moe-dp-size 2", kNewest, 4, true},
                    Experts{"--tp 8 --moe-a2a-backend deepep", kNewest, 8, true},
                    Experts{"--tp 8 --moe-a2a-backend none", kNewest, 1, false},
                    Experts{"--tp 4 --enable-ep-moe", {0, 4, 9}, 4, true},
                    Experts{"--tp 1 --ep-size 1", kNewest, 1, false}));

TEST(SglangFacts, OfMemory) {
  const auto serve = serve_of(
      "--context-length 32K --mem-fraction-static 0.85 --max-running-requests 64 "
      "--max-total-tokens 100000 --chunked-prefill-size 4096 --page-size 64 --kv-cache-dtype "
      "fp8_e5m2 --disable-cuda-graph --disable-radix-cache --cpu-offload-gb 2");
  EXPECT_EQ(problems(serve), "");
  EXPECT_EQ(serve.max_model_len.value(), Tokens{32768});
  EXPECT_DOUBLE_EQ(serve.memory_fraction.value(), 0.85);
  EXPECT_EQ(serve.max_num_seqs.value(), 64);
  EXPECT_EQ(serve.kv_tokens.value(), Tokens{100000});
  EXPECT_EQ(serve.max_batched_tokens.value(), Tokens{4096});
  EXPECT_EQ(serve.block_size.value(), 64);
  EXPECT_EQ(serve.kv_dtype.value(), "fp8_e5m2");
  EXPECT_TRUE(serve.enforce_eager.value());
  EXPECT_FALSE(serve.prefix_caching.value());
  EXPECT_EQ(serve.cpu_offload.value(), gib(2));
}

TEST(SglangFacts, WithoutFlagsAreDefaultsOrUnknown) {
  const auto serve = serve_of("");
  EXPECT_EQ(serve.host.value(), "127.0.0.1");
  EXPECT_EQ(serve.port.value(), 30000);
  EXPECT_FALSE(serve.has_api_key.value());
  EXPECT_TRUE(serve.prefix_caching.value());
  EXPECT_TRUE(serve.chunked_prefill.value());
  EXPECT_FALSE(serve.enforce_eager.value());
  EXPECT_EQ(serve.tensor_parallel.value(), 1);
  EXPECT_EQ(serve.tensor_parallel.origin(), Origin::Default);
  for (const bool known :
       {serve.memory_fraction.known(), serve.max_model_len.known(), serve.max_num_seqs.known(),
        serve.max_batched_tokens.known(), serve.quantization.known(), serve.kv_tokens.known()}) {
    EXPECT_FALSE(known);
  }
}

TEST(SglangFacts, ChunksTurnedOffLeaveTheBudgetOfPrompts) {
  const auto serve = serve_of("--chunked-prefill-size -1");
  EXPECT_FALSE(serve.chunked_prefill.value());
  EXPECT_EQ(serve.max_batched_tokens.value(), Tokens{16384});
}

TEST(SglangFacts, OfSpeculationStandInOneText) {
  const auto serve = serve_of(
      "--speculative-algorithm EAGLE --speculative-draft-model-path d --speculative-num-steps 3");
  EXPECT_EQ(serve.speculative.value(), R"({"method": "eagle", "model": "d"})");
  EXPECT_EQ(serve_of("--speculative-draft-model-path 7").speculative.value(), R"({"model": "7"})");
}

TEST(SglangFacts, OfTheEnvironment) {
  Sources sources;
  Command command = command_of(sources, module_line("--pp-size 3"));
  testing_sglang::set(command, "SGLANG_PP_LAYER_PARTITION", "26,26,28");
  testing_sglang::set(command, "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN", "1");
  testing_sglang::set(command, "CUDA_VISIBLE_DEVICES", "4,5,6,7");
  const auto serve = sglang::understand(command, kNewest, sources, {});
  EXPECT_EQ(serve.partition.value().layers, (std::vector<int>{26, 26, 28}));
  EXPECT_TRUE(serve.allow_long_max_len.value());
  EXPECT_EQ(serve.visible_devices.value(), "4,5,6,7");
}

TEST(SglangFacts, OfALaterCardAreItsOwn) {
  const auto serve = serve_of("--tp 2 --base-gpu-id 2 --gpu-id-step 3");
  HostSpec host;
  host.gpu_count = Fact<int>(8, Origin::Device);
  const auto seen = visible_devices(serve, host);
  EXPECT_EQ(seen.gpus, (std::vector<int>{2, 5}));
  EXPECT_EQ(visible_devices(serve_of("--base-gpu-id 9"), host).gpus, std::vector<int>{});
}

TEST(SglangCommand, MadeOfFactsAloneIsWhole) {
  ServeSpec serve;
  serve.version = kNewest;
  serve.model = Fact<std::string>("org/m", Origin::Flag);
  serve.tensor_parallel = Fact<int>(8, Origin::Flag);
  serve.data_parallel = Fact<int>(1, Origin::Default);
  serve.attention_data_parallel = Fact<int>(4, Origin::Flag);
  serve.max_model_len = Fact<Tokens>(Tokens{8192}, Origin::Flag);
  EXPECT_EQ(join(sglang::command_for(serve), " "),
            "python3 -m sglang.launch_server --model-path org/m --tp-size 8 --attn-dp-size 4 "
            "--context-length 8192");
  serve.version = {0, 5, 10};
  EXPECT_EQ(join(sglang::command_for(serve), " "),
            "python3 -m sglang.launch_server --model-path org/m --tp-size 8 --dp-size 4 "
            "--enable-dp-attention --context-length 8192");
}

}  // namespace
}  // namespace sx
