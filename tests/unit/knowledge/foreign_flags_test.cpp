// Names of flags from one engine to another.
#include "knowledge/foreign_flags.h"

#include <gtest/gtest.h>

#include <string>

#include "knowledge/engine_names.h"
#include "knowledge/flags.h"
#include "knowledge/per_engine.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

TEST(ForeignFlag, IsWhatTheTableOfTheEngineSays) {
  const ForeignFlag* flag = foreign_flag("vllm", "--context-length");
  ASSERT_NE(flag, nullptr);
  EXPECT_EQ(flag->name, "--max-model-len");
  flag = foreign_flag("sglang", "--max-model-len");
  ASSERT_NE(flag, nullptr);
  EXPECT_EQ(flag->name, "--context-length");
  EXPECT_TRUE(flag->carries_over);
  flag = foreign_flag("llamacpp", "--max-model-len");
  ASSERT_NE(flag, nullptr);
  EXPECT_EQ(flag->name, "--ctx-size");
  EXPECT_FALSE(flag->carries_over);  // of all slots together
  EXPECT_EQ(foreign_flag("sglang", "--no-such-flag"), nullptr);
  EXPECT_EQ(foreign_flag("nobody", "--max-model-len"), nullptr);
}

TEST(OwnName, OfACommonFlag) {
  struct Row {
    std::string_view engine, common, own;
  };
  const Row rows[] = {
      {"vllm", "--max-model-len", "--max-model-len"},
      {"vllm", "--no-such-flag", "--no-such-flag"},
      {"sglang", "--max-model-len", "--context-length"},
      {"sglang", "--max-num-seqs", "--max-running-requests"},
      {"sglang", "--tensor-parallel-size", "--tp-size"},
      {"sglang", "--port", "--port"},
      {"sglang", "--swap-space", ""},
      {"sglang", "VLLM_PP_LAYER_PARTITION", "SGLANG_PP_LAYER_PARTITION"},
      {"llamacpp", "--max-num-seqs", "--parallel"},
      {"llamacpp", "--gpu-memory-utilization", ""},
      {"nobody", "--max-model-len", "--max-model-len"},  // its flags are not known
  };
  for (const auto& [engine, common, own] : rows) {
    EXPECT_EQ(own_name(engine, common), own) << engine << ' ' << common;
  }
}

TEST(OwnName, ForAValueOnlyWhereItMeansTheSame) {
  EXPECT_EQ(own_name_for_value("sglang", "--max-model-len"), "--context-length");
  EXPECT_EQ(own_name("sglang", "--gpu-memory-utilization"), "--mem-fraction-static");
  EXPECT_EQ(own_name_for_value("sglang", "--gpu-memory-utilization"), "");
  EXPECT_EQ(own_name_for_value("vllm", "--gpu-memory-utilization"), "--gpu-memory-utilization");
  EXPECT_EQ(own_name_for_value("llamacpp", "--max-model-len"), "");
}

// A word that the engine takes itself needs no translation, and what it is translated to must be
// there.
TEST(ForeignFlags, AreForeignAndLeadToOwnOnes) {
  for (const std::string_view engine : kEnginesWithTables) {
    const auto bytes = find_table("data/engines/" + std::string(engine) + "/foreign_flags.tsv");
    const EngineFlags* flags = engine_flags(engine);
    if (!bytes || flags == nullptr) continue;
    const Table table(*bytes);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto typed = table.cell(row, "typed"), name = table.cell(row, "name");
      if (!typed.starts_with('-')) continue;
      EXPECT_EQ(flags->find(typed), nullptr) << engine << ' ' << typed;
      if (name.empty()) continue;
      const std::string positive =
          name.starts_with("--no-") ? "--" + std::string(name.substr(5)) : std::string(name);
      EXPECT_TRUE(flags->find(name) != nullptr || flags->find(positive) != nullptr)
          << engine << ' ' << name;
    }
  }
}

TEST(ShownEngine, AsItWritesItself) {
  EXPECT_EQ(shown_engine("vllm"), "vLLM");
  EXPECT_EQ(shown_engine("llamacpp"), "llama.cpp");
  EXPECT_EQ(shown_engine("nobody"), "nobody");
  EXPECT_EQ(shown_engine(""), "");
}

}  // namespace
}  // namespace sx
