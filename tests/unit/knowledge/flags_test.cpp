// vLLM's flags: kinds, spellings, versions, successors.
#include "knowledge/flags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

const EngineFlags& vllm() { return *engine_flags("vllm"); }

const FlagRow& flag(std::string_view name) {
  const auto* row = vllm().find(name);
  if (row == nullptr) throw std::out_of_range(std::string(name));
  return *row;
}

Standing standing(std::string_view name, std::string_view version) {
  return vllm().standing(flag(name), parse_version(version).value_or(Version{}));
}

TEST(EngineFlags, IsNullForAnEngineWithoutATable) {
  EXPECT_EQ(engine_flags(""), nullptr);
  EXPECT_EQ(engine_flags("nobody"), nullptr);
  EXPECT_EQ(engine_flags(std::string(10000, 'v')), nullptr);
}

TEST(EngineFlags, VersionsReadAscend) {
  EXPECT_TRUE(std::ranges::is_sorted(vllm().read));
  EXPECT_EQ(vllm().oldest().text(), "0.6.6.post1");
  EXPECT_EQ(vllm().newest().text(), "0.33.0");
  const Table table(table_bytes("data/engines/vllm/versions.tsv"));
  ASSERT_EQ(table.rows(), vllm().read.size());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_EQ(table.cell(i, "version"), vllm().read[i].text());  // the file is in that order too
  }
}

TEST(EngineFlags, FindsEveryFlagByAllItsNames) {
  EXPECT_GT(vllm().rows.size(), 400U);
  for (const auto& row : vllm().rows) {
    EXPECT_EQ(vllm().find(row.name), &row) << row.name;
    for (const auto alias : row.aliases) EXPECT_EQ(vllm().find(alias), &row) << alias;
  }
  EXPECT_EQ(flag("-tp").name, "--tensor-parallel-size");
  EXPECT_EQ(vllm().find("--tp"), nullptr);
  EXPECT_EQ(vllm().find(""), nullptr);
  EXPECT_EQ(vllm().find("\xff"), nullptr);
  EXPECT_EQ(vllm().find(std::string(10000, '-')), nullptr);
}

TEST(EngineFlags, ReadTheirCells) {
  EXPECT_EQ(flag("--max-model-len").kind, FlagKind::Integer);
  EXPECT_TRUE(flag("--max-model-len").human_integer);
  EXPECT_FALSE(flag("--max-num-seqs").human_integer);
  EXPECT_EQ(flag("--gpu-memory-utilization").kind, FlagKind::Number);
  EXPECT_EQ(flag("--gpu-memory-utilization").default_text, "0.92");
  EXPECT_EQ(flag("--enforce-eager").kind, FlagKind::Switch);
  EXPECT_TRUE(flag("--enforce-eager").negatable);
  EXPECT_FALSE(flag("--headless").negatable);
  EXPECT_EQ(flag("--dtype").kind, FlagKind::Choice);
  EXPECT_EQ(flag("--dtype").choices.front(), "auto");
  EXPECT_EQ(flag("--lora-modules").kind, FlagKind::List);
  EXPECT_EQ(flag("--speculative-config").kind, FlagKind::Json);
  EXPECT_TRUE(flag("--hf-overrides").plain_text);
  EXPECT_EQ(flag("--hf-token").kind, FlagKind::Optional);
  EXPECT_TRUE(flag("--middleware").repeats);
  EXPECT_EQ(flag("--tokenizer").default_text, "");  // there is none
  EXPECT_EQ(flag("model_tag").group, "positional arguments");
}

TEST(EngineFlags, KindsAreWordsThatCodeKnows) {
  const Table table(table_bytes("data/engines/vllm/flags.tsv"));
  const std::vector<std::string_view> known{"switch", "integer", "number", "string",
                                            "choice", "list",    "json",   "optional"};
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto kind = table.cell(i, "kind");
    EXPECT_TRUE(std::ranges::find(known, kind) != known.end())
        << table.cell(i, "name") << ": " << kind;
    const bool chooses = kind == "choice" || kind == "list";
    if (kind == "choice") EXPECT_FALSE(table.cell(i, "choices").empty()) << table.cell(i, "name");
    if (!chooses) EXPECT_TRUE(table.cell(i, "choices").empty()) << table.cell(i, "name");
    if (table.cell(i, "negatable") == "yes") EXPECT_EQ(kind, "switch") << table.cell(i, "name");
  }
}

TEST(EngineFlags, ChangesAreAtVersionsThatWereRead) {
  const auto read = [](const std::optional<Version>& version) {
    return !version || std::ranges::find(vllm().read, *version) != vllm().read.end();
  };
  for (const auto& row : vllm().rows) {
    EXPECT_TRUE(read(row.first_seen) && read(row.removed) && read(row.returned)) << row.name;
    if (row.removed && row.first_seen) EXPECT_LT(*row.first_seen, *row.removed) << row.name;
    if (row.returned) EXPECT_TRUE(row.removed && *row.removed < *row.returned) << row.name;
  }
}

TEST(EngineFlags, SuccessorsAreFlagsOfTheNewestVersion) {
  for (const auto& row : vllm().rows) {
    if (!row.successor.starts_with("--")) continue;
    std::string name(row.successor.substr(0, row.successor.find_first_of(" .")));
    const auto* found = vllm().find(name);
    if (found == nullptr && name.starts_with("--no-")) {
      found = vllm().find("--" + name.substr(5));
      ASSERT_TRUE(found != nullptr && found->negatable) << row.successor;
    }
    ASSERT_NE(found, nullptr) << row.name << " → " << row.successor;
    EXPECT_EQ(vllm().standing(*found, vllm().newest()), Standing::Known) << row.successor;
    if (row.successor.find('.') != std::string_view::npos)
      EXPECT_EQ(found->kind, FlagKind::Json) << row.successor;
  }
}

TEST(EngineFlags, RemovedFlagsSayWhatToDo) {
  EXPECT_EQ(flag("--swap-space").successor.substr(0, 12), "leave it out");
  EXPECT_EQ(flag("--guided-decoding-backend").successor, "--structured-outputs-config.backend");
  EXPECT_EQ(flag("--disable-log-requests").successor, "--no-enable-log-requests");
  EXPECT_EQ(flag("--worker-use-ray").successor, "--distributed-executor-backend ray");
}

TEST(EngineFlags, SayWhatTheyMeanInBothLanguages) {
  for (const auto& row : vllm().rows) {
    EXPECT_EQ(row.meaning.empty(), row.meaning_chinese.empty()) << row.name;
    const bool in_words = !row.successor.empty() && !row.successor.starts_with("--");
    EXPECT_EQ(in_words, !row.successor_chinese.empty()) << row.name;
  }
}

TEST(EngineFlags, OppositeWordsNameTheirFlag) {
  for (const auto& row : vllm().rows) {
    if (row.opposite_of.empty()) continue;
    const auto* other = vllm().find(row.opposite_of);
    ASSERT_NE(other, nullptr) << row.name;
    EXPECT_TRUE(other->negatable) << row.name;
    EXPECT_EQ(row.kind, FlagKind::Switch) << row.name;
  }
  EXPECT_EQ(flag("--disable-prefix-caching").opposite_of, "--enable-prefix-caching");
  EXPECT_EQ(standing("--disable-prefix-caching", "0.31.0"), Standing::NotYet);
  EXPECT_EQ(standing("--disable-prefix-caching", "0.33.0"), Standing::Known);
}

// ---- standing at the borders between versions that were read

TEST(Standing,
     OfAFlagThatCame) {  // --attention-backend: first read in 0.13.0; read before that: 0.12.0
  EXPECT_EQ(standing("--attention-backend", "0.12.0"), Standing::NotYet);
  EXPECT_EQ(standing("--attention-backend", "0.12.1"), Standing::Possible);
  EXPECT_EQ(standing("--attention-backend", "0.13.0rc1"), Standing::Possible);
  EXPECT_EQ(standing("--attention-backend", "0.13.0"), Standing::Known);
  EXPECT_EQ(standing("--attention-backend", "0.13.1"), Standing::Known);
}

TEST(Standing,
     OfAFlagThatWent) {  // --swap-space: first read without it 0.18.1; read before that: 0.16.0
  EXPECT_EQ(standing("--swap-space", "0.6.6.post1"), Standing::Known);
  EXPECT_EQ(standing("--swap-space", "0.16.0"), Standing::Known);
  EXPECT_EQ(standing("--swap-space", "0.17.0"), Standing::Possible);
  EXPECT_EQ(standing("--swap-space", "0.18.0"), Standing::Possible);
  EXPECT_EQ(standing("--swap-space", "0.18.1"), Standing::Removed);
  EXPECT_EQ(standing("--swap-space", "0.40.0"), Standing::Removed);
}

TEST(Standing, OfAFlagThatCameBack) {
  EXPECT_EQ(standing("--disable-log-requests", "0.11.2"), Standing::Known);
  EXPECT_EQ(standing("--disable-log-requests", "0.12.0"), Standing::Removed);
  EXPECT_EQ(standing("--disable-log-requests", "0.32.0"), Standing::Removed);
  EXPECT_EQ(standing("--disable-log-requests", "0.32.1"), Standing::Possible);
  EXPECT_EQ(standing("--disable-log-requests", "0.33.0"), Standing::Known);
}

TEST(Standing, OutsideOfWhatWasRead) {
  EXPECT_EQ(standing("--tensor-parallel-size", "0.6.5"), Standing::NotRead);
  EXPECT_EQ(standing("--tensor-parallel-size", "0.6.6"), Standing::NotRead);  // before its .post1
  EXPECT_EQ(standing("--tensor-parallel-size", "0.6.6.post1"), Standing::Known);
  EXPECT_EQ(standing("--tensor-parallel-size", "1.0.0"), Standing::Known);  // as the newest read
}

// ---- defaults

std::string default_at(std::string_view name, std::string_view version) {
  const auto found = engine_default("vllm", name, parse_version(version).value_or(Version{}));
  return found ? std::string(found->value) : "-";
}

TEST(EngineDefault, IsTheOneInForce) {
  EXPECT_EQ(default_at("gpu-memory-utilization", "0.19.1"), "0.90");
  EXPECT_EQ(default_at("gpu-memory-utilization", "0.20.2"), "0.92");
  EXPECT_EQ(default_at("gpu-memory-utilization", "0.33.0"), "0.92");
  EXPECT_EQ(default_at("model", "0.9.2"), "facebook/opt-125m");
  EXPECT_EQ(default_at("model", "0.10.2"), "Qwen/Qwen3-0.6B");
  EXPECT_EQ(default_at("port", "0.33.0"), "8000");
  EXPECT_EQ(default_at("max-num-batched-tokens:large", "0.8.5"), "8192");
  EXPECT_EQ(default_at("max-num-batched-tokens:huge", "0.26.0"), "-");
  EXPECT_EQ(default_at("max-num-batched-tokens:huge", "0.31.0"), "16384");
  EXPECT_EQ(default_at("swap-space", "0.16.0"), "4");
  EXPECT_EQ(default_at("swap-space", "0.18.1"), "-");
  EXPECT_EQ(default_at("absent", "0.33.0"), "-");
  EXPECT_EQ(engine_default("nobody", "port", {}), std::nullopt);
}

TEST(EngineDefault, AgreesWithTheFlagTable) {
  for (const char* name :
       {"gpu-memory-utilization", "model", "port", "dtype", "kv-cache-dtype", "max-logprobs",
        "tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size"}) {
    EXPECT_EQ(default_at(name, "0.33.0"), flag("--" + std::string(name)).default_text) << name;
  }
}

}  // namespace
}  // namespace sx
