// Constants, model classes, environment variables, links and Xids.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "knowledge/architectures.h"
#include "knowledge/constants.h"
#include "knowledge/link_classes.h"
#include "knowledge/tables.h"
#include "knowledge/variables.h"
#include "knowledge/xids.h"

namespace sx {
namespace {

Version at(std::string_view text) { return parse_version(text).value_or(Version{-1, 0, 0, 0, 0}); }

// U+4E00 to U+9FFF are E4 B8 80 to E9 BF BF.
bool has_han(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0xE4U && byte <= 0xE9U;
  });
}

double value(std::string_view engine, std::string_view name, const Version& version) {
  const auto found = constant(engine, name, version);
  return found ? found->value : -1;
}

TEST(Constant, IsTheOneInForce) {
  EXPECT_EQ(value("vllm", "sampler-draw-16bit", at("0.16.0")), 38);
  EXPECT_EQ(value("vllm", "sampler-draw-16bit", at("0.17.0")), 14);
  EXPECT_EQ(value("vllm", "sampler-draw-16bit", at("0.33.0")), 14);
  EXPECT_EQ(value("vllm", "runtime-nvlink-tp2", at("0.11.2")), 0.54);
  EXPECT_EQ(value("vllm", "runtime-nvlink-tp2", at("0.19.1")), 2.07);
}

TEST(Constant, EndsWhereItEnds) {
  EXPECT_TRUE(constant("vllm", "runtime-v0-tp", at("0.10.2")).has_value());
  EXPECT_FALSE(constant("vllm", "runtime-v0-tp", at("0.11.2")).has_value());
  EXPECT_FALSE(constant("vllm", "huge-card", at("0.26.0")).has_value());  // not begun
  EXPECT_EQ(value("vllm", "v0-tokens-long", at("0.6.6.post1")), 512);
  EXPECT_EQ(value("vllm", "v0-tokens-long", at("0.8.5")), 2048);
}

TEST(Constant, OfNoEngineServesThemAll) {
  EXPECT_EQ(value("", "held-back-default", {}), 0.5);
  EXPECT_EQ(value("vllm", "held-back-default", at("0.33.0")), 0.5);
  EXPECT_EQ(value("nobody", "held-back-default", {}), 0.5);
  EXPECT_EQ(value("sglang", "runtime-one-gpu", {}), 0.7);  // its own
  EXPECT_EQ(constant("", "runtime-one-gpu", {}), std::nullopt);
  EXPECT_EQ(constant("vllm", "", {}), std::nullopt);
  EXPECT_EQ(constant("vllm", std::string(10000, 'x'), {}), std::nullopt);
}

TEST(Constant, LiesInItsBandAndSaysItsOrigin) {
  const std::vector<std::string_view> origins{"measured", "formula", "default", "assumed"};
  for (const char* name :
       {"data/constants.tsv", "data/engines/vllm/memory.tsv", "data/engines/sglang/memory.tsv"}) {
    const Table table(table_bytes(name));
    for (std::size_t i = 0; i < table.rows(); ++i) {
      SCOPED_TRACE(table.cell(i, "name"));
      const auto value = number_cell(table.cell(i, "value"));
      const auto low = number_cell(table.cell(i, "low"));
      const auto high = number_cell(table.cell(i, "high"));
      ASSERT_TRUE(value && low && high);
      if (!value || !low || !high)
        continue;  // said again for the reader that does not know ASSERT_TRUE
      const bool is_band =
          table.cell(i, "name").ends_with("-band");  // its value is the width itself
      EXPECT_TRUE(is_band || (*low <= *value && *value <= *high));
      EXPECT_FALSE(table.cell(i, "unit").empty());
      EXPECT_TRUE(std::ranges::find(origins, table.cell(i, "origin")) != origins.end())
          << table.cell(i, "origin");
      for (const char* column : {"since", "until"}) {
        const auto cell = table.cell(i, column);
        EXPECT_TRUE(cell.empty() || parse_version(cell).has_value()) << cell;
      }
    }
  }
}

TEST(Architecture, TellsWhatAClassCanDo) {
  const auto qwen = find_architecture("Qwen2ForCausalLM");
  ASSERT_TRUE(qwen.has_value());
  EXPECT_EQ(qwen->pipeline, true);
  EXPECT_EQ(qwen->multimodal, false);
  EXPECT_EQ(qwen->mla, false);
  EXPECT_EQ(find_architecture("DeepseekV3ForCausalLM")->mla, true);
  EXPECT_FALSE(find_architecture("NoSuchClass").has_value());
  EXPECT_FALSE(find_architecture("").has_value());
}

TEST(Architecture, StandsInAVersion) {
  const auto old = find_architecture("Qwen2ForCausalLM");
  EXPECT_EQ(architecture_in(*old, at("0.6.6.post1")), true);
  EXPECT_EQ(architecture_in(*old, at("0.33.0")), true);
  EXPECT_EQ(architecture_in(*old, at("0.5.0")), std::nullopt);
  const auto later = find_architecture("Qwen3ForCausalLM");
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(architecture_in(*later, at("0.7.3")), false);
  EXPECT_EQ(architecture_in(*later, at("0.8.4")),
            std::nullopt);  // between two versions that were read
  EXPECT_EQ(architecture_in(*later, at("0.8.5")), true);
}

TEST(Variable, IsFoundByName) {
  const auto* target = find_variable("vllm", "VLLM_TARGET_DEVICE");
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(target->default_text, "'cuda'");
  EXPECT_EQ(find_variable("vllm", "VLLM_NO_SUCH_THING"), nullptr);
  EXPECT_EQ(find_variable("nobody", "VLLM_TARGET_DEVICE"), nullptr);
  EXPECT_GT(variable_names("vllm").size(), 400U);
  EXPECT_TRUE(variable_names("nobody").empty());
}

TEST(Variable, StandsInAVersion) {
  const auto* partition = find_variable("vllm", "VLLM_PP_LAYER_PARTITION");
  ASSERT_NE(partition, nullptr);
  EXPECT_EQ(variable_standing("vllm", *partition, at("0.33.0")), Standing::Known);
  for (const auto name : variable_names("vllm")) {
    const auto* row = find_variable("vllm", name);
    if (row->first_seen_known) continue;
    EXPECT_NE(variable_standing("vllm", *row, at("0.8.5")), Standing::Known) << name;
  }
}

TEST(Links, AreOrderedAsCardsAreChosen) {
  const Table table(table_bytes("data/links.tsv"));
  ASSERT_EQ(table.rows(), 7U);
  EXPECT_EQ(table.cell(0, "name"), "NV");
  EXPECT_EQ(table.cell(0, "per_link"), "10");
  for (std::size_t i = 1; i < table.rows(); ++i) {
    EXPECT_LE(integer_cell(table.cell(i, "score")), integer_cell(table.cell(i - 1, "score")));
  }
}

TEST(Links, OfEveryClassSayTheirWayInBothLanguages) {
  const Table table(table_bytes("data/links.tsv"));
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const LinkClass* known = find_link_class(table.cell(i, "name"));
    ASSERT_NE(known, nullptr) << table.cell(i, "name");
    EXPECT_FALSE(known->meaning.empty());
    EXPECT_TRUE(has_han(known->meaning_chinese));
  }
  EXPECT_EQ(find_link_class("NV12")->way, LinkWay::NvLink);
  EXPECT_EQ(find_link_class("PHB")->way, LinkWay::Root);
  EXPECT_EQ(find_link_class("X"), nullptr);
  EXPECT_EQ(find_link_class(""), nullptr);
  EXPECT_EQ(weakest_score(LinkWay::Root), 20);
}

TEST(Variable, HasAMeaningInBothLanguages) {
  for (const char* name : {"data/engines/vllm/env.tsv", "data/engines/sglang/env.tsv",
                           "data/engines/llamacpp/env.tsv"}) {
    const Table table(table_bytes(name));
    ASSERT_GT(table.rows(), 100U) << name;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      EXPECT_FALSE(table.cell(i, "meaning").empty()) << table.cell(i, "name");
      EXPECT_TRUE(has_han(table.cell(i, "meaning_zh"))) << table.cell(i, "name");
    }
  }
}

TEST(Xid, IsFoundByNumber) {
  const auto* lost = find_xid(79);
  ASSERT_NE(lost, nullptr);
  EXPECT_FALSE(lost->meaning.empty());
  EXPECT_FALSE(lost->action.empty());
  EXPECT_EQ(find_xid(-1), nullptr);
  EXPECT_EQ(find_xid(99999), nullptr);
  EXPECT_GE(xids().size(), 170U);
}

}  // namespace
}  // namespace sx
