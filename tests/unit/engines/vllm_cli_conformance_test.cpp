// The table of flags against the parser, the parser against itself, and both against the engine's
// own help text.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/strings.h"
#include "engines/argparse/spelling.h"
#include "knowledge/flags.h"
#include "vllm_cli_line.h"

namespace sx {
namespace {

using testing_vllm::kNewest;
using testing_vllm::problems;
using testing_vllm::read;

const EngineFlags& flags() { return *engine_flags("vllm"); }

// -O has rules of its own.
bool known(const FlagRow& row) {
  return row.name.starts_with("--") && flags().standing(row, kNewest) == Standing::Known;
}

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

void expect_read(const std::string& words, const FlagRow& row, bool negated = false) {
  const auto all = read("vllm serve m " + words);
  EXPECT_EQ(problems(all.serve), "") << words;
  const FlagUse* use = all.serve.use_of(recorded(row));
  ASSERT_NE(use, nullptr) << words;
  EXPECT_EQ(use->negated, negated || !row.opposite_of.empty()) << words;
  EXPECT_FALSE(use->possible) << words;
}

TEST(VllmConformance, EveryFlagIsReadInAllItsSpellings) {
  for (const FlagRow& row : flags().rows) {
    if (!known(row) || row.name == "--config" || row.name == "--model") continue;
    std::vector<std::string> names{std::string(row.name), replaced(row.name, "_", "-")};
    for (const std::string_view alias : row.aliases) names.emplace_back(alias);
    std::string underscores = replaced(row.name.substr(2), "-", "_");
    names.push_back("--" + underscores);
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
    if (row.kind == FlagKind::Json && !row.plain_text)
      expect_read(std::string(row.name) + ".a.b 1", row);
  }
}

TEST(VllmConformance, UniqueBeginningsAreTheWholeName) {
  std::set<std::string> names;
  for (const FlagRow& row : flags().rows) {
    if (!known(row)) continue;
    names.emplace(row.name);
    for (const std::string_view alias : row.aliases) names.emplace(alias);
    if (row.negatable) names.insert("--no-" + std::string(row.name.substr(2)));
  }
  const argparse::Dialect dialect(flags(), kNewest);
  for (const FlagRow& row : flags().rows) {
    if (!known(row)) continue;
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

TEST(VllmConformance, EveryRowThatIsGoneIsSaidSo) {
  for (const FlagRow& row : flags().rows) {
    const Standing standing = flags().standing(row, kNewest);
    if (standing != Standing::Removed) continue;
    // A removed name may be the unique beginning of a flag that is there.
    const auto all = read("vllm serve m " + std::string(row.name) + ' ' + good_value(row));
    ASSERT_FALSE(all.serve.problems.empty()) << row.name;
    EXPECT_EQ(all.serve.problems.front().kind, FlagProblem::Kind::Removed) << row.name;
    EXPECT_EQ(all.serve.problems.size(), 1U) << row.name << ": " << problems(all.serve);
  }
}

// Option names of a help text: lines that begin with two blanks and a dash.
std::vector<std::string> names_in_help(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::vector<std::string> names;
  const std::string all = text.str();
  for (const std::string_view line : lines_of(all)) {
    if (!line.starts_with("  -")) continue;
    std::string_view head = trimmed(line);
    head = head.substr(0, head.find("  "));
    for (const std::string_view part : split(head, ',')) {
      const std::string_view word = trimmed(part);
      if (word.starts_with('-')) names.emplace_back(word.substr(0, word.find_first_of(" [")));
    }
  }
  return names;
}

TEST(VllmConformance, TheRecordedHelpTextNamesOnlyFlagsOfTheTable) {
  const std::string path = std::string(SEXTANT_SOURCE_DIR) + "/tests/engines/vllm/0.32.0/help.txt";
  const auto names = names_in_help(path);
  EXPECT_GT(names.size(), 300U);
  const Version version{0, 32, 0};
  for (const std::string& name : names) {
    if (name == "-h" || name == "--help" || !name.starts_with("-")) continue;
    const FlagRow* row = flags().find(name);
    if (row == nullptr && name.starts_with("--no-")) {
      row = flags().find("--" + name.substr(5));
      if (row != nullptr) {
        EXPECT_TRUE(row->negatable) << name;
      }
    }
    ASSERT_NE(row, nullptr) << name;
    const Standing standing = flags().standing(*row, version);
    EXPECT_TRUE(standing == Standing::Known || standing == Standing::Possible) << name;
  }
}

TEST(VllmConformance, TheTableNamesNoFlagOfThatVersionThatItsHelpTextLacks) {
  const std::string path = std::string(SEXTANT_SOURCE_DIR) + "/tests/engines/vllm/0.32.0/help.txt";
  const auto names = names_in_help(path);
  const std::set<std::string> helped(names.begin(), names.end());
  std::string lacking;
  for (const FlagRow& row : flags().rows) {
    if (!row.name.starts_with("--") || flags().standing(row, {0, 32, 0}) != Standing::Known)
      continue;
    if (!helped.contains(std::string(row.name))) lacking += std::string(row.name) + ' ';
  }
  EXPECT_EQ(lacking, "");
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
  same(a.node_count, b.node_count, "nodes");
  same(a.expert_parallel, b.expert_parallel, "expert");
  same(a.executor_backend, b.executor_backend, "backend");
  same(a.max_model_len, b.max_model_len, "length");
  same(a.max_model_len_auto, b.max_model_len_auto, "auto length");
  same(a.memory_fraction, b.memory_fraction, "fraction");
  same(a.kv_cache_bytes, b.kv_cache_bytes, "kv bytes");
  same(a.max_num_seqs, b.max_num_seqs, "seqs");
  same(a.max_batched_tokens, b.max_batched_tokens, "batched");
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

ServeSpec again(const ServeSpec& serve) {
  Sources sources;
  Command command;
  command.source = sources.add({.kind = SourceKind::CommandLine, .text = std::string(1, ' ')});
  for (const std::string& word : vllm::command_for(serve)) {
    command.words.push_back({.text = word, .span = {command.source, 0, 0}});
  }
  return vllm::understand(command, serve.version, sources, {});
}

TEST(VllmConformance, ACommandMadeOfFactsMeansTheSameFacts) {
  for (const char* words :
       {"", "m", "m -tp 2 -pp 3 -dp 2 -dpl 1 -pcp 2 -dcp 2 -n 2",
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
        "m --seed -3 --no-async-scheduling --limit-mm-per-prompt.image 2"}) {
    const auto first = read(std::string("vllm serve ") + words).serve;
    ASSERT_EQ(problems(first), "") << words;
    const auto second = again(first);
    EXPECT_EQ(problems(second), "") << words;
    expect_same(first, second, words);
    EXPECT_EQ(vllm::command_for(second), vllm::command_for(first)) << words;
  }
}

TEST(VllmConformance, EveryFlagSurvivesTheRoundTrip) {
  for (const FlagRow& row : flags().rows) {
    if (!known(row) || row.name == "--config" || row.name == "--model") continue;
    const auto first = read("vllm serve m " + std::string(row.name) + ' ' + good_value(row)).serve;
    const auto second = again(first);
    EXPECT_EQ(problems(second), "") << row.name;
    EXPECT_NE(second.use_of(recorded(row)), nullptr) << row.name;
    expect_same(first, second, std::string(row.name));
  }
}

TEST(VllmConformance, ACommandMadeOfFactsAloneIsWhole) {
  ServeSpec serve;
  serve.version = kNewest;
  serve.model = Fact<std::string>("org/m", Origin::Flag);
  serve.tensor_parallel = Fact<int>(4, Origin::Flag);
  serve.max_model_len = Fact<Tokens>(Tokens{8192}, Origin::Flag);
  serve.pipeline_parallel = Fact<int>(1, Origin::Default);
  EXPECT_EQ(join(vllm::command_for(serve), " "),
            "vllm serve org/m --tensor-parallel-size 4 --max-model-len 8192");
}

}  // namespace
}  // namespace sx
