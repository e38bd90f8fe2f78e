// The table of flags against the parser, and the parser against itself, for every engine whose
// parser is argparse.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli_line.h"
#include "engines/argparse/spelling.h"
#include "engines/sglang/sglang.h"
#include "engines/vllm/vllm.h"
#include "knowledge/choices.h"

namespace sx {
namespace {

using testing_cli::problems;

struct Subject {
  const Engine* engine = nullptr;
  std::string launch;               // with the model, flags follow
  std::string plain;                // without it
  std::vector<std::string> passed;  // flags that stand for themselves, the model and the file
  std::vector<std::string> commands;

  const EngineFlags& flags() const { return *engine_flags(engine->name); }
  Version newest() const { return flags().newest(); }
  testing_cli::Understood read(const std::string& words) const {
    return testing_cli::read(*engine, words, newest());
  }
};

Subject vllm_subject() {
  return {.engine = &vllm::engine,
          .launch = "vllm serve m ",
          .plain = "vllm serve ",
          .passed = {"--config", "--model"},
          .commands = {"", "m", "m -tp 2 -pp 3 -dp 2 -dpl 1 -pcp 2 -dcp 2 -n 2",
                       "m --max-model-len 32K --gpu-mem 0.87",
                       "m --max-model-len auto --kv-cache-memory-bytes 1.5g",
                       "m --enforce-eager --no-enable-prefix-caching -ep",
                       "m --disable-chunked-prefill --trust-remote-code",
                       "m -q fp8 --kv-cache-dtype fp8 --dtype half --load-format dummy",
                       "m --speculative-config.method mtp -sc.num_speculative_tokens 2",
                       "m --spec-method ngram --spec-tokens 3",
                       "m --hf-overrides '{\"rope_scaling\": {\"factor\": 2}}'",
                       "m --host ::1 --port 9 --api-key a b", "m --uds /tmp/x",
                       "m --served-model-name a b --cpu-offload-gb 1.25", "--model m --tokenizer t",
                       "m --mm-encoder-tp-mode data --language-model-only --max-num-seqs 7 "
                       "--max-num-batched-tokens 2k --block-size 32",
                       "m -dp 4 -dpn 2 --distributed-executor-backend ray",
                       "m -cc.mode=3 -O1 --middleware a --middleware b",
                       "m --seed -3 --no-async-scheduling --limit-mm-per-prompt.image 2"}};
}

Subject sglang_subject() {
  return {.engine = &sglang::engine,
          .launch = "python3 -m sglang.launch_server --model-path m ",
          .plain = "sglang serve ",
          .passed = {"--config", "--model-path", "--model-type"},
          .commands = {
              "m",
              "m --tp 4 --pp-size 2 --dp 3 --nnodes 2 --node-rank 1 --dist-init-addr h:1",
              "m --tp 8 --dp 4 --enable-dp-attention",
              "m --tp 8 --attn-dp-size 4",
              "m --tp 8 --ep 8",
              "m --tp 8 --ep-size 4 --moe-dp-size 2",
              "m --tp 8 --moe-a2a-backend deepep",
              "m --context-length 32K --mem-frac 0.87 --max-total-tokens 5k",
              "m --chunked-prefill-size -1 --max-prefill-tokens 9000",
              "m --chunked-prefill-size 4096 --page-size 64 --max-running-requests 7",
              "m --disable-cuda-graph --disable-radix-cache --trust-remote-code",
              "m --quantization fp8 --kv-cache-dtype fp8_e5m2 --dtype half --load-format dummy",
              "m --speculative-algorithm EAGLE3 --speculative-draft-model-path d "
              "--speculative-num-draft-tokens 4",
              "m --json-model-override-args '{\"rope_scaling\": {\"factor\": 2}}'",
              "m --host 0.0.0.0 --port 9 --api-key a",
              "m --served-model-name a --cpu-offload-gb 2",
              "--model m --tokenizer-path t",
              "m --model-type llm --dcp-size 2",
              "m --base-gpu-id 4 --gpu-id-step 2 --mm-enable-dp-encoder --language-model-only",
              "m --cuda-graph-bs-decode 1 2 4 --no-mm-enable-dp-encoder --lora-paths a=b c=d"}};
}

class Conformance : public testing::TestWithParam<Subject> {
 protected:
  const Subject& subject() const { return GetParam(); }
  const EngineFlags& flags() const { return subject().flags(); }

  // -O has rules of its own.
  bool known(const FlagRow& row) const {
    return row.name.starts_with("--") && flags().standing(row, flags().newest()) == Standing::Known;
  }
  bool passed(const FlagRow& row) const {
    return std::ranges::find(subject().passed, std::string(row.name)) != subject().passed.end();
  }

  void expect_read(const std::string& words, const FlagRow& row, bool negated = false) const;
  ServeSpec again(const ServeSpec& serve) const;
};

// A value that the parser takes.
std::string good_value(const FlagRow& row) {
  switch (row.kind) {
    case FlagKind::Switch:
      return "";
    case FlagKind::Integer:
      return row.choices.empty() ? "3" : std::string(row.choices.front());
    case FlagKind::Number:
      return "0.5";
    case FlagKind::Choice:
      return std::string(row.choices.front());
    case FlagKind::Json:
      return row.default_text.starts_with('[') ? "[\"x\"]" : "{\"x\":1}";
    case FlagKind::String:
    case FlagKind::List:
    case FlagKind::Optional:
      return "x";
  }
  return "";
}

// The name under which a use is recorded, and whether it says the opposite.
std::string recorded(const FlagRow& row) {
  return std::string(row.opposite_of.empty() ? row.name : row.opposite_of);
}

void Conformance::expect_read(const std::string& words, const FlagRow& row, bool negated) const {
  const auto all = subject().read(subject().launch + words);
  EXPECT_EQ(problems(all.serve), "") << words;
  const FlagUse* use = all.serve.use_of(recorded(row));
  ASSERT_NE(use, nullptr) << words;
  EXPECT_EQ(use->negated, negated || !row.opposite_of.empty()) << words;
  EXPECT_FALSE(use->possible) << words;
}

ServeSpec Conformance::again(const ServeSpec& serve) const {
  Sources sources;
  Command command;
  command.source = sources.add({.kind = SourceKind::CommandLine, .text = std::string(1, ' ')});
  for (const std::string& word : subject().engine->command_for(serve)) {
    command.words.push_back({.text = word, .span = {command.source, 0, 0}});
  }
  return subject().engine->understand(command, serve.version, sources, {});
}

TEST_P(Conformance, EveryFlagIsReadInAllItsSpellings) {
  const bool underscores = argparse::Dialect(flags(), flags().newest()).underscores;
  const bool dotted = argparse::Dialect(flags(), flags().newest()).dotted;
  for (const FlagRow& row : flags().rows) {
    if (!known(row) || passed(row)) continue;
    std::vector<std::string> names{std::string(row.name)};
    for (const std::string_view alias : row.aliases) names.emplace_back(alias);
    if (underscores) {
      names.push_back(replaced(row.name, "_", "-"));
      names.push_back("--" + replaced(row.name.substr(2), "-", "_"));
    }
    const std::string value = good_value(row);
    for (const std::string& name : names) {
      if (row.kind == FlagKind::Switch) {
        expect_read(name, row);
        continue;
      }
      expect_read(name + ' ' + value, row);
      expect_read(name + '=' + value, row);
    }
    if (row.negatable) expect_read("--no-" + std::string(row.name.substr(2)), row, true);
    if (dotted && row.kind == FlagKind::Json && !row.plain_text)
      expect_read(std::string(row.name) + ".a.b 1", row);
  }
}

TEST_P(Conformance, UniqueBeginningsAreTheWholeName) {
  std::set<std::string> names;
  for (const FlagRow& row : flags().rows) {
    if (!known(row)) continue;
    names.emplace(row.name);
    for (const std::string_view alias : row.aliases) names.emplace(alias);
    if (row.negatable) names.insert("--no-" + std::string(row.name.substr(2)));
  }
  const argparse::Dialect dialect(flags(), flags().newest());
  for (const FlagRow& row : flags().rows) {
    if (!known(row) || passed(row)) continue;
    for (std::size_t length = 3; length < row.name.size(); ++length) {
      const std::string start(row.name.substr(0, length));
      const auto begins = [&](const std::string& other) { return other.starts_with(start); };
      if (names.contains(start) || flags().find(start) != nullptr) continue;
      const auto spelling = argparse::find_spelling(start, dialect);
      if (std::ranges::count_if(names, begins) > 1) {
        EXPECT_EQ(spelling.found, argparse::Spelling::Found::Many) << start;
        continue;
      }
      ASSERT_EQ(spelling.found, argparse::Spelling::Found::One) << start;
      EXPECT_EQ(spelling.row->name, recorded(row)) << start;
      expect_read(start + ' ' + good_value(row), row);
      break;
    }
  }
}

TEST_P(Conformance, EveryRowThatIsGoneIsSaidSo) {
  for (const FlagRow& row : flags().rows) {
    const Standing standing = flags().standing(row, flags().newest());
    if (standing != Standing::Removed) continue;
    // A removed name may be the unique beginning of a flag that is there.
    const auto all =
        subject().read(subject().launch + std::string(row.name) + ' ' + good_value(row));
    ASSERT_FALSE(all.serve.problems.empty()) << row.name;
    EXPECT_EQ(all.serve.problems.front().kind, FlagProblem::Kind::Removed) << row.name;
    EXPECT_EQ(all.serve.problems.size(), 1U) << row.name << ": " << problems(all.serve);
  }
}

TEST_P(Conformance, WhatTakesThePlaceOfAFlagIsThere) {
  for (const FlagRow& row : flags().rows) {
    for (const std::string_view word : split(row.successor, ' ')) {
      if (!row.successor.starts_with("--") || !word.starts_with("--")) continue;
      std::string name(word.substr(0, word.find('.')));
      if (name.starts_with("--no-")) name = "--" + name.substr(5);
      const FlagRow* other = flags().find(name);
      ASSERT_NE(other, nullptr) << row.name << ": " << word;
      EXPECT_TRUE(known(*other)) << row.name << ": " << word;
    }
  }
}

// Facts that a command line can hold.
void expect_same(const ServeSpec& a, const ServeSpec& b, const std::string& words) {
  const auto same = [&](const auto& left, const auto& right, const char* name) {
    EXPECT_EQ(left.known(), right.known()) << name << ": " << words;
    if (left.known() && right.known()) {
      EXPECT_EQ(left.value(), right.value()) << name << ": " << words;
      EXPECT_EQ(left.origin(), right.origin()) << name << ": " << words;
    }
  };
  same(a.model, b.model, "model");
  same(a.tokenizer, b.tokenizer, "tokenizer");
  same(a.tensor_parallel, b.tensor_parallel, "tensor");
  same(a.pipeline_parallel, b.pipeline_parallel, "pipeline");
  same(a.data_parallel, b.data_parallel, "data");
  same(a.data_parallel_local, b.data_parallel_local, "data local");
  same(a.prefill_context_parallel, b.prefill_context_parallel, "prefill context");
  same(a.decode_context_parallel, b.decode_context_parallel, "decode context");
  same(a.attention_data_parallel, b.attention_data_parallel, "attention data");
  same(a.node_count, b.node_count, "nodes");
  same(a.expert_parallel, b.expert_parallel, "expert");
  same(a.expert_ranks, b.expert_ranks, "expert ranks");
  same(a.first_gpu, b.first_gpu, "first GPU");
  same(a.gpu_step, b.gpu_step, "GPU step");
  same(a.executor_backend, b.executor_backend, "backend");
  same(a.max_model_len, b.max_model_len, "length");
  same(a.max_model_len_auto, b.max_model_len_auto, "auto length");
  same(a.memory_fraction, b.memory_fraction, "fraction");
  same(a.kv_cache_bytes, b.kv_cache_bytes, "kv bytes");
  same(a.max_num_seqs, b.max_num_seqs, "seqs");
  same(a.max_batched_tokens, b.max_batched_tokens, "batched");
  same(a.kv_tokens, b.kv_tokens, "kv tokens");
  same(a.block_size, b.block_size, "block");
  same(a.dtype, b.dtype, "dtype");
  same(a.quantization, b.quantization, "quantization");
  same(a.kv_dtype, b.kv_dtype, "kv dtype");
  same(a.load_format, b.load_format, "load format");
  same(a.enforce_eager, b.enforce_eager, "eager");
  same(a.prefix_caching, b.prefix_caching, "prefix");
  same(a.chunked_prefill, b.chunked_prefill, "chunked");
  same(a.trust_remote_code, b.trust_remote_code, "remote code");
  same(a.language_model_only, b.language_model_only, "language only");
  same(a.encoder_data_parallel, b.encoder_data_parallel, "encoder");
  same(a.cpu_offload, b.cpu_offload, "offload");
  same(a.speculative, b.speculative, "speculative");
  same(a.hf_overrides, b.hf_overrides, "overrides");
  same(a.rope_overridden, b.rope_overridden, "rope");
  same(a.host, b.host, "host");
  same(a.port, b.port, "port");
  same(a.has_api_key, b.has_api_key, "key");
  same(a.served_name, b.served_name, "served name");
}

TEST_P(Conformance, ACommandMadeOfFactsMeansTheSameFacts) {
  for (const std::string& words : subject().commands) {
    const auto first = subject().read(subject().plain + words).serve;
    ASSERT_EQ(problems(first), "") << words;
    const auto second = again(first);
    EXPECT_EQ(problems(second), "") << words;
    expect_same(first, second, words);
    EXPECT_EQ(subject().engine->command_for(second), subject().engine->command_for(first)) << words;
  }
}

TEST_P(Conformance, EveryFlagSurvivesTheRoundTrip) {
  for (const FlagRow& row : flags().rows) {
    if (!known(row) || passed(row)) continue;
    const auto first =
        subject().read(subject().launch + std::string(row.name) + ' ' + good_value(row)).serve;
    const auto second = again(first);
    EXPECT_EQ(problems(second), "") << row.name;
    expect_same(first, second, std::string(row.name));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Conformance, testing::Values(vllm_subject(), sglang_subject()),
                         [](const auto& info) { return std::string(info.param.engine->name); });

}  // namespace
}  // namespace sx
