// What may be started again, and how engines show that they live.
#include "knowledge/again.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "knowledge/causes.h"
#include "knowledge/cells.h"
#include "knowledge/engine_life.h"

namespace sx {
namespace {

using Again = AgainRow::Again;

TEST(AgainAfter, ACausesOwnRowStandsBeforeItsFamilys) {
  EXPECT_EQ(again_after("gpu-mem-busy").again, Again::AfterRelease);
  EXPECT_EQ(again_after("oom-cudagraph").again, Again::Never);
  EXPECT_TRUE(again_after("oom-cudagraph").other_layout);
  EXPECT_EQ(again_after("cli-flag-removed").again, Again::Never);
  EXPECT_FALSE(again_after("cli-flag-removed").other_layout);
  EXPECT_EQ(again_after("native-crash").again, Again::Maybe);
}

TEST(AgainAfter, WhatIsNotKnownMayBeTriedAndBlamesNoLayout) {
  EXPECT_EQ(again_after("no-such-cause").again, Again::Maybe);
  EXPECT_FALSE(again_after("").other_layout);
}

TEST(AgainAfter, TheLinksAreBlamedForWhatGpusSayToEachOther) {
  EXPECT_TRUE(again_after("p2p-hang").links);
  EXPECT_TRUE(again_after("collective-deadlock").links);
  EXPECT_FALSE(again_after("oom-cudagraph").links);
  EXPECT_FALSE(again_after("duplicate-gpu").links);
}

TEST(AgainAfter, OtherCardsHelpWhereTheseAreLostOrTaken) {
  EXPECT_TRUE(again_after("gpu-fallen-off-bus").cards);
  EXPECT_TRUE(again_after("gpu-mem-busy").cards);
  EXPECT_FALSE(again_after("oom-weights-too-big").cards);
  EXPECT_FALSE(again_after("no-such-cause").cards);
}

TEST(AgainAfter, EveryRowIsOfACauseOrAFamilyAndEveryFamilyHasOne) {
  std::set<std::string> families, rows;
  for (const CauseRow& cause : causes()) families.insert("family:" + std::string(cause.family));
  const Table table(table_bytes("data/causes/again.tsv"));
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string name(table.cell(i, "cause"));
    EXPECT_TRUE(rows.insert(name).second) << name;
    EXPECT_TRUE(find_cause(name) != nullptr || families.contains(name)) << name;
    const std::set<std::string_view> words{"maybe", "never", "after-release"};
    EXPECT_TRUE(words.contains(table.cell(i, "again"))) << name;
  }
  for (const std::string& family : families) EXPECT_TRUE(rows.contains(family)) << family;
}

TEST(EngineLife, TheThreeThatAreLaunched) {
  for (const char* engine : {"vllm", "sglang", "llamacpp"}) {
    const EngineLife* life = engine_life(engine);
    ASSERT_NE(life, nullptr) << engine;
    EXPECT_TRUE(life->health_path.starts_with('/'));
    EXPECT_FALSE(life->heartbeat.empty());
    EXPECT_FALSE(life->running.empty());
    EXPECT_FALSE(life->program.empty());
    EXPECT_TRUE(life->install.contains(" install ")) << life->install;
  }
  EXPECT_FALSE(engine_life("vllm")->loading_is_unavailable);
  EXPECT_TRUE(engine_life("sglang")->loading_is_unavailable);
  EXPECT_EQ(second_request_after("llamacpp"), std::chrono::seconds(1));
  EXPECT_EQ(second_request_after("vllm"), std::nullopt);
  EXPECT_EQ(engine_life("ollama"), nullptr);
}

}  // namespace
}  // namespace sx
