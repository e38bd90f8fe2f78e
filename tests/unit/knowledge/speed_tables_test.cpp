// The tables of speed are whole: every card finds the laws of its family, every link its paths.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "knowledge/link_laws.h"
#include "knowledge/speed_cards.h"
#include "knowledge/speed_laws.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

constexpr std::array<std::string_view, 8> kTables{"cards",   "gemm",        "attention", "formats",
                                                  "experts", "collectives", "engines",   "bands"};

std::string_view bytes_of(std::string_view table) {
  return table_bytes("data/speed/" + std::string(table) + ".tsv");
}

TEST(SpeedTables, EveryRowSaysWhoSaysSo) {
  for (const std::string_view name : kTables) {
    const Table table(bytes_of(name));
    ASSERT_GT(table.rows(), 0U) << name;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      EXPECT_FALSE(table.cell(row, "source").empty()) << name << ' ' << row;
      EXPECT_EQ(table.cell(row, "checked").substr(0, 2), "20") << name << ' ' << row;
    }
  }
}

TEST(SpeedTables, EveryFamilyHasItsLaws) {
  const Table cards(bytes_of("cards"));
  for (std::size_t row = 0; row < cards.rows(); ++row) {
    const auto family = cards.cell(row, "family");
    EXPECT_NE(gemm_law(family, "bf16"), nullptr) << family;
    EXPECT_NE(attention_law(family, "bf16"), nullptr) << family;
    const auto basis = cards.cell(row, "basis");
    const SpeedBand band = speed_band(basis);
    EXPECT_LT(band.low, 1) << basis;
    EXPECT_GT(band.high, 1) << basis;
    if (basis != "sheet") {
      EXPECT_LE(band.high / band.low, 3) << basis;
      EXPECT_LE(band.first_high / band.first_low, 3) << basis;
    }
    const auto nvlink = cards.cell(row, "nvlink");
    for (const std::string_view path : {"engine", "nccl", "send"}) {
      if (nvlink.empty()) continue;
      EXPECT_TRUE(link_law(nvlink, path, 2)) << nvlink << ' ' << path;
    }
  }
  EXPECT_EQ(gemm_law("a100", "fp8"), nullptr);
}

TEST(SpeedTables, SharesOfPeaksAreShares) {
  const Table gemm(bytes_of("gemm"));
  for (std::size_t row = 0; row < gemm.rows(); ++row) {
    for (const std::string_view column : {"compute", "memory"}) {
      const double share = number_cell(gemm.cell(row, column)).value_or(0);
      EXPECT_GT(share, .1) << row;
      EXPECT_LE(share, 1.0) << row;
    }
    EXPECT_GE(number_cell(gemm.cell(row, "exponent")).value_or(0), 1) << row;
  }
  const Table links(bytes_of("collectives"));
  std::set<std::string> seen;
  for (std::size_t row = 0; row < links.rows(); ++row) {
    for (const std::string_view column :
         {"latency_us", "gb_per_second", "exponent", "reference_gb_per_second"}) {
      EXPECT_GT(number_cell(links.cell(row, column)).value_or(0), 0) << row << ' ' << column;
    }
    std::string key(links.cell(row, "link"));
    key.append("/").append(links.cell(row, "path")).append("/").append(links.cell(row, "ranks"));
    EXPECT_TRUE(seen.insert(key).second) << key;
  }
}

TEST(SpeedTables, FormatsAndEngines) {
  const Table formats(bytes_of("formats"));
  for (std::size_t row = 0; row < formats.rows(); ++row) {
    const auto name = formats.cell(row, "format");
    EXPECT_GT(format_law(name).gemm_memory, 0) << name;
    EXPECT_GT(expert_law(name, "h100").stream, 0) << name;
  }
  EXPECT_NE(expert_law("nvfp4", "b200").start_us, expert_law("nvfp4", "rtxpro").start_us);
  for (const std::string_view engine : {"vllm", "sglang", "llamacpp"})
    EXPECT_TRUE(engine_speed(engine)) << engine;
  EXPECT_FALSE(engine_speed("unheard-of"));
  EXPECT_FALSE(engine_speed("sglang")->mixed);
}

TEST(SpeedTables, CardsAreFoundByNameThenBeginningThenGeneration) {
  const auto card = [](std::string_view name) { return speed_card(*gpu_by_driver_name(name, {})); };
  EXPECT_EQ(card("NVIDIA H100 80GB HBM3")->basis, "measured");
  EXPECT_EQ(card("NVIDIA H800")->family, "h100");
  EXPECT_EQ(card("NVIDIA H800")->basis, "related");
  EXPECT_EQ(card("NVIDIA GeForce RTX 4090")->peer, false);
  EXPECT_FALSE(card("NVIDIA L40")->peer);
  EXPECT_EQ(card("NVIDIA A100-PCIE-40GB")->peer, true);
  EXPECT_EQ(card("Tesla V100-SXM2-32GB")->basis, "sheet");
  EXPECT_FALSE(card("NVIDIA L20X"));  // nobody knows what it is
}

TEST(SpeedTables, LinksBetweenMeasuredRanks) {
  const auto four = link_law("nvl4", "nccl", 4), six = link_law("nvl4", "nccl", 6),
             eight = link_law("nvl4", "nccl", 8), sixteen = link_law("nvl4", "nccl", 16);
  ASSERT_TRUE(four && six && eight && sixteen);
  EXPECT_NEAR(six->latency_us, (four->latency_us + eight->latency_us) / 2, 1e-9);
  EXPECT_NEAR(sixteen->latency_us, 2 * eight->latency_us, 1e-9);
  EXPECT_FALSE(link_law("string-and-cans", "nccl", 2));
}

}  // namespace
}  // namespace sx
