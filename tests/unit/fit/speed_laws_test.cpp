// Laws against what was measured: products, attention, experts and collectives on cards of each
// family. The measured figures are those of public kernel tables, not of the constants' fit alone.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fit/attention_speed.h"
#include "fit/collective_speed.h"
#include "fit/experts_speed.h"
#include "fit/gemm.h"
#include "speed_machines.h"

namespace sx {
namespace {

using testing::gpu_named;
using testing::machine;

constexpr double kTera = 1e12, kGiga = 1e9;
const std::string kH100 = "NVIDIA H100 80GB HBM3", kA100 = "NVIDIA A100-SXM4-80GB",
                  kL40S = "NVIDIA L40S", kB200 = "NVIDIA B200", kH200 = "NVIDIA H200",
                  kRtxPro = "NVIDIA RTX PRO 6000 Blackwell Server Edition";

CardSpeed card(const std::string& name, double kv_element = 2) {
  const auto found = card_speed(gpu_named(name), kv_element);
  EXPECT_TRUE(found) << name;
  return found.value_or(CardSpeed{});
}

WeightFormat format(std::string_view name, double bytes) {
  return {bytes, &format_law(name), name};
}

void expect_near(double seen, double measured, double part, const std::string& what) {
  EXPECT_GT(seen, measured * (1 - part)) << what;
  EXPECT_LT(seen, measured * (1 + part)) << what;
}

TEST(GemmLaw, ReachesTheMeasuredRateOfLargeProducts) {
  struct Row {
    std::string card;
    std::string_view format;
    double bytes, rows, tflops;
  };
  const Row rows[] = {{kA100, "bf16", 2, 1024, 261},       {kA100, "bf16", 2, 4096, 278},
                      {kL40S, "bf16", 2, 1024, 249},       {kL40S, "fp8", 1, 4096, 332},
                      {kH100, "bf16", 2, 1024, 838},       {kH100, "bf16", 2, 4096, 788},
                      {kH100, "fp8", 1, 4096, 1108},       {kH200, "bf16", 2, 256, 721},
                      {kB200, "bf16", 2, 4096, 1706},      {kB200, "fp8", 1, 4096, 2378},
                      {kB200, "nvfp4", .5625, 4096, 4237}, {kRtxPro, "bf16", 2, 4096, 398},
                      {kRtxPro, "fp8", 1, 1024, 712}};
  for (const auto& row : rows) {
    const double size = 8192;
    const double seconds =
        gemm_seconds(card(row.card), {.rows = row.rows, .columns = size, .inner = size},
                     format(row.format, row.bytes));
    expect_near(2 * row.rows * size * size / seconds / kTera, row.tflops, .2,
                row.card + " " + std::string(row.format) + " m=" + std::to_string(row.rows));
  }
}

TEST(GemmLaw, StreamsWeightsOfOneTokenAtTheMeasuredRate) {
  struct Row {
    std::string card;
    double megabytes, gb_per_second;
  };
  const Row rows[] = {{kA100, 256, 1507},  {kL40S, 256, 726},  {kH100, 16, 1985},
                      {kH100, 256, 2951},  {kH200, 256, 3970}, {kB200, 256, 6083},
                      {kRtxPro, 256, 1465}};
  for (const auto& row : rows) {
    const double size = std::sqrt(row.megabytes * 1e6 / 2);
    const double seconds = gemm_seconds(card(row.card), {.rows = 1, .columns = size, .inner = size},
                                        format("bf16", 2));
    expect_near(row.megabytes * 1e6 / seconds / kGiga, row.gb_per_second, .15, row.card);
  }
}

TEST(GemmLaw, CardsWithoutUnitsForAFormatComputeIn16Bit) {
  const Product product{.rows = 8192, .columns = 8192, .inner = 8192};
  const double plain = gemm_seconds(card(kA100), product, format("bf16", 2));
  const double fp8 = gemm_seconds(card(kA100), product, format("fp8", 1));
  EXPECT_GT(fp8, plain * .9);  // nothing won where arithmetic decides
  const Product one{.rows = 1, .columns = 8192, .inner = 8192};
  EXPECT_LT(gemm_seconds(card(kA100), one, format("fp8", 1)),
            gemm_seconds(card(kA100), one, format("bf16", 2)) * .75);
}

TEST(GemmLaw, AnEmptyProductTakesNoTime) {
  EXPECT_EQ(gemm_seconds(card(kH100), {.rows = 0, .columns = 8, .inner = 8}, format("bf16", 2)), 0);
}

TEST(AttentionLaw, PrefillReachesTheMeasuredRate) {
  struct Row {
    std::string card;
    double length, tflops;
  };
  const Row rows[] = {{kA100, 8192, 176},  {kL40S, 8192, 184},  {kH100, 4096, 520},
                      {kH100, 16384, 664}, {kB200, 8192, 1069}, {kRtxPro, 8192, 280}};
  for (const auto& [name, length, tflops] : rows) {
    const double seconds = prefill_attention_seconds(
        card(name),
        {.length = length, .window = length, .heads = 32, .key_dim = 128, .value_dim = 128});
    expect_near(2 * 32 * length * length * 128 / seconds / kTera, tflops, .2, name);
  }
}

TEST(AttentionLaw, DecodingReadsTheCacheAtTheMeasuredRate) {
  struct Row {
    std::string card;
    double sequences, gb_per_second;
  };
  const Row rows[] = {
      {kA100, 32, 1281}, {kH100, 8, 2303}, {kH100, 32, 2887}, {kH200, 32, 3962}, {kB200, 32, 6343}};
  for (const auto& [name, sequences, rate] : rows) {
    const double bytes = sequences * 4096 * 8 * 128 * 2 * 2;
    const double seconds = decode_attention_seconds(
        card(name),
        {.sequences = sequences, .length = 4096, .token_bytes = 8 * 128 * 2 * 2, .kv_heads = 8});
    expect_near(bytes / seconds / kGiga, rate, .25, name);
  }
}

TEST(AttentionLaw, ManyShortRequestsAreNotFree) {
  // 2048 requests of two tokens move almost nothing and take 450 us on H100.
  const double seconds = decode_attention_seconds(
      card(kH100), {.sequences = 2048, .length = 2, .token_bytes = 8 * 128 * 2 * 2, .kv_heads = 8});
  expect_near(seconds * 1e6, 450, .2, "tiles");
}

TEST(AttentionLaw, LatentAttentionIsBoundByArithmeticWithManyHeads) {
  const auto us = [](double heads) {
    return 1e6 * latent_attention_seconds(card(kH200), {.sequences = 64,
                                                        .length = 16384,
                                                        .token_bytes = 1152,
                                                        .heads = heads,
                                                        .latent = 512,
                                                        .rope = 64});
  };
  expect_near(us(128), 479, .15, "128 heads");
  expect_near(us(16), 294, .15, "16 heads");
}

TEST(AttentionLaw, LinearAttentionMovesItsState) {
  expect_near(1e6 * linear_decode_seconds(card(kH100), 128, 32 * 128 * 128 * 4), 191, .1, "decode");
  expect_near(1e6 * linear_prefill_seconds(card(kH100), 8192), 514, .1, "prefill");
}

TEST(ExpertLaw, ReachesTheMeasuredRateOfManyTokens) {
  struct Row {
    std::string card;
    double tokens, tflops;
  };
  const Row rows[] = {{kH100, 8192, 364}, {kH100, 2048, 222}, {kA100, 8192, 110},
                      {kB200, 8192, 817}, {kL40S, 8192, 125}, {kRtxPro, 8192, 157}};
  const EngineSpeed engine = engine_speed("vllm").value_or(EngineSpeed{});
  for (const auto& [name, tokens, tflops] : rows) {
    const CardSpeed own = card(name);
    const double seconds = experts_seconds(
        own, engine,
        {.tokens = tokens, .hidden = 2048, .width = 768, .experts = 128, .here = 128, .a_token = 8},
        format("bf16", 2), expert_law("bf16", own.card.family));
    expect_near(6 * tokens * 8 * 2048 * 768 / seconds / kTera, tflops, .3, name);
  }
}

GroupLinks links(const HostSpec& host, int ranks) {
  std::vector<int> gpus(static_cast<std::size_t>(ranks));
  std::iota(gpus.begin(), gpus.end(), 0);
  return group_links(host, gpus, card(host.gpus.front().name.value()));
}

double reduce_us(const HostSpec& host, int ranks, double bytes) {
  const EngineSpeed engine = engine_speed("vllm").value_or(EngineSpeed{});
  return 1e6 * all_reduce_seconds(links(host, ranks), engine, bytes);
}

TEST(CollectiveLaw, SumsTakeTheMeasuredTime) {
  constexpr double kKib = 1024, kMib = 1024 * 1024;
  const HostSpec h100 = machine(8, kH100), a100 = machine(8, kA100), l40s = machine(8, kL40S),
                 rtx = machine(8, kRtxPro);
  expect_near(reduce_us(h100, 8, 1 * kMib), 15, .3, "H100 own 1 MB");
  expect_near(reduce_us(h100, 8, 64 * kKib), 6.4, .3, "H100 own 64 KB");
  expect_near(reduce_us(h100, 8, 64 * kMib), 325, .3, "H100 NCCL 64 MB");
  expect_near(reduce_us(a100, 4, 256 * kKib), 9.9, .3, "A100 own 256 KB");
  expect_near(reduce_us(l40s, 4, 4 * kMib), 1235, .3, "L40S 4 MB");
  expect_near(reduce_us(l40s, 2, 1 * kMib), 60, .3, "L40S pair 1 MB");
  expect_near(reduce_us(rtx, 4, 1 * kMib), 86, .3, "RTX PRO 1 MB");
  EXPECT_EQ(reduce_us(h100, 1, kMib), 0);
}

TEST(CollectiveLaw, BetweenMeasuredNumbersOfRanksLieTheOthers) {
  const HostSpec host = machine(8, kRtxPro);
  const double four = reduce_us(host, 4, 1e6), six = reduce_us(host, 6, 1e6),
               eight = reduce_us(host, 8, 1e6);
  EXPECT_LT(four, six);
  EXPECT_LT(six, eight);
}

TEST(CollectiveLaw, ALargerMessageNeverTakesLess) {
  for (const auto& name : {kH100, kA100, kL40S, kB200, kRtxPro}) {
    const HostSpec host = machine(8, name);
    for (const int ranks : {2, 3, 4, 6, 8}) {
      double before = 0;
      for (double bytes = 1024; bytes < 1e9; bytes *= 1.1) {
        const double us = reduce_us(host, ranks, bytes);
        EXPECT_GE(us, before) << name << ' ' << ranks << ' ' << bytes;
        before = us;
      }
    }
  }
}

TEST(GroupLinks, TheWorstPairDecides) {
  HostSpec host = machine(4, "NVIDIA A100 80GB PCIe", "SYS");
  const auto set = [&](std::size_t a, std::size_t b, const std::string& link) {
    host.links.classes[a][b] = host.links.classes[b][a] = link;
  };
  set(0, 1, "NV12");
  set(2, 3, "NV12");
  EXPECT_EQ(links(host, 2).link, "nvl3");
  EXPECT_EQ(links(host, 2).seen, "NV12");
  EXPECT_EQ(links(host, 4).link, "pcie4-far");
  EXPECT_FALSE(links(host, 4).own);
  for (const std::size_t a : {0U, 1U}) {
    for (const std::size_t b : {2U, 3U}) set(a, b, "PHB");
  }
  EXPECT_EQ(links(host, 4).link, "bridges");
}

TEST(GroupLinks, PeerAccessDecidesOverTheHostBridge) {
  EXPECT_EQ(links(machine(4, kL40S, "PHB"), 4).link, "pcie-host");
  EXPECT_EQ(links(machine(4, kL40S, "PHB", "OK"), 4).link, "pcie-peer");
  EXPECT_EQ(links(machine(4, kL40S, "PHB", "GNS"), 4).link, "pcie4-far");
  EXPECT_EQ(links(machine(4, kL40S, "PIX"), 4).link, "pcie-switch");
  // Drivers of this card refuse it, whatever the switch could do.
  EXPECT_EQ(links(machine(2, "NVIDIA GeForce RTX 4090", "PIX"), 2).link, "pcie4-far");
  EXPECT_FALSE(links(machine(2, "NVIDIA GeForce RTX 4090", "PIX"), 2).own);
}

TEST(GroupLinks, OwnSumsNeedAPairOrNvlinkBetweenAll) {
  EXPECT_TRUE(links(machine(8, kH100, "NV18"), 8).own);
  EXPECT_TRUE(links(machine(8, kH100, "NV18"), 6).own);
  EXPECT_FALSE(links(machine(8, kH100, "NV18"), 3).own);
  EXPECT_TRUE(links(machine(8, kL40S, "PIX"), 2).own);
  EXPECT_FALSE(links(machine(8, kL40S, "PIX"), 4).own);
}

TEST(GroupLinks, FewLinksOfManyCarryLess) {
  const auto full = links(machine(2, kA100, "NV12"), 2).nccl;
  const auto third = links(machine(2, kA100, "NV4"), 2).nccl;
  ASSERT_TRUE(full && third);
  EXPECT_NEAR(third->gb_per_second / full->gb_per_second, 1.0 / 3, .01);
}

}  // namespace
}  // namespace sx
