// Which layouts are not tried again, and what makes a launch the same launch.
#include "run/layout_memory.h"

#include <gtest/gtest.h>

#include "run/layout_key.h"
#include "sys/files.h"

namespace sx {
namespace {

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kNow = 20'000 * kDay;

std::optional<LayoutRecord> failed(std::string label, std::string cause, std::int64_t ago) {
  return LayoutRecord{.key = "",
                      .label = std::move(label),
                      .good = false,
                      .cause = std::move(cause),
                      .unix_ms = kNow - ago};
}
std::optional<LayoutRecord> worked(std::string label, std::int64_t ago) {
  return LayoutRecord{
      .key = "", .label = std::move(label), .good = true, .cause = "", .unix_ms = kNow - ago};
}

// What is known of the layouts of one model.
using Known = std::vector<std::optional<LayoutRecord>>;
LayoutMemory remembered(const Known& records) {
  KnownLayouts known;
  for (const auto& record : records)
    known.push_back({{.model = "m", .key = std::to_string(known.size()), .record = record}});
  return remembered_layouts(known, kNow);
}

TEST(LayoutMemory, NothingKnownNothingLeftOut) {
  const auto memory = remembered(Known{{}, {}});
  EXPECT_EQ(memory.first, 0U);
  EXPECT_FALSE(memory.proven);
  EXPECT_TRUE(memory.notes.empty());
}

TEST(LayoutMemory, WhatCannotHoldTheModelIsLeftOutAndSaid) {
  const auto memory = remembered(Known{failed("TP4", "oom-cudagraph", kDay), {}, {}});
  EXPECT_EQ(memory.left_out, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(memory.first, 1U);
  ASSERT_EQ(memory.notes.size(), 1U);
  EXPECT_EQ(memory.notes[0].english, "TP4 is left out: it failed here on " + day_of(kNow - kDay) +
                                         " (" + cause_words("oom-cudagraph").english +
                                         "); --retry-known-bad tries it again");
  EXPECT_NE(memory.notes[0].chinese.find("跳过 TP4"), std::string::npos);
}

TEST(LayoutMemory, WhatAPersonMendsIsTriedAgain) {
  for (const char* cause : {"weights-truncated", "cli-flag-removed", "gpu-mem-busy"}) {
    const auto memory = remembered(Known{failed("TP4", cause, 1), {}});
    EXPECT_EQ(memory.first, 0U) << cause;
    EXPECT_TRUE(memory.notes.empty()) << cause;
  }
}

TEST(LayoutMemory, WhatMayGoAwayCountsForAWeek) {
  const auto first = [](std::int64_t ago) {
    return remembered(Known{failed("TP4", "collective-deadlock", ago), {}}).first;
  };
  EXPECT_EQ(first(kDay), 1U);
  EXPECT_EQ(first(8 * kDay), 0U);
}

TEST(LayoutMemory, AnUnknownEndCountsWhereAnotherLayoutWorkedAfterwards) {
  const auto end = failed("TP4", "process-died", kDay);
  EXPECT_EQ(remembered(Known{end, {}}).first, 0U);
  EXPECT_EQ(remembered(Known{end, worked("TP2", 2 * kDay)}).first, 0U);
  const auto memory = remembered(Known{end, worked("TP2", kDay / 2)});
  EXPECT_EQ(memory.first, 1U);
  EXPECT_TRUE(memory.proven);
}

TEST(LayoutMemory, WhereAllFailedTheWantedOneIsTriedAndThatIsSaid) {
  const auto memory =
      remembered(Known{failed("TP4", "oom-cudagraph", kDay), failed("TP2", "oom-cudagraph", kDay)});
  EXPECT_EQ(memory.first, 0U);
  EXPECT_EQ(memory.left_out, (std::vector<bool>{false, false}));
  ASSERT_EQ(memory.notes.size(), 1U);
  EXPECT_NE(memory.notes[0].english.find("it is tried again"), std::string::npos);
}

// Of two models each has its own: what one of them cannot do leaves the other where it is.
TEST(LayoutMemory, WhatOneModelCannotDoIsLeftOutForThatOneAlone) {
  const KnownPart a1{
      .model = "a", .key = "a1", .record = failed("TP4 + TP2 (a)", "oom-cudagraph", 1)};
  const KnownPart a2{.model = "a", .key = "a2", .record = {}};
  const KnownPart b1{.model = "b", .key = "b1", .record = worked("TP4 + TP2 (b)", 1)};
  const KnownPart b2{.model = "b", .key = "b2", .record = {}};
  auto memory = remembered_layouts({{a1, b1}, {a1, b2}, {a2, b1}, {a2, b2}}, kNow);
  EXPECT_EQ(memory.left_out, (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(memory.first, 2U);
  EXPECT_FALSE(memory.proven);
  ASSERT_EQ(memory.notes.size(), 1U);
  EXPECT_TRUE(memory.notes[0].english.starts_with("TP4 + TP2 (a) is left out"));
  // One that has nothing else is tried again, and what is known of the other still counts.
  KnownPart bad = b1;
  bad.record = failed("TP4 + TP2 (b)", "oom-cudagraph", 1);
  memory = remembered_layouts({{a1, bad}, {a1, b2}}, kNow);
  EXPECT_EQ(memory.left_out, (std::vector<bool>{true, false}));
  EXPECT_EQ(memory.first, 1U);
}

TEST(LayoutMemory, ADayIsWrittenAsADay) {
  EXPECT_EQ(day_of(0), "1970-01-01");
  EXPECT_EQ(day_of(1'796'000'000'000), "2026-11-30");
}

EngineLaunch a_launch() {
  return {.engine = "vllm",
          .words = {"vllm", "serve", "m", "--port", "9001"},
          .environment = {{"PATH", "/bin"}, {"VLLM_USE_V1", "1"}},
          .port = 9001,
          .model = "m",
          .gpus = {0, 1},
          .version = "0.11.0"};
}
std::string key(const EngineLaunch& launch, const std::string& machine = "driver 1") {
  return layout_key({.label = "TP2", .replicas = {launch}, .proves = ""}, launch.model, machine);
}

TEST(LayoutKey, ThePortAndWhereFilesLieDoNotMatter) {
  EngineLaunch other = a_launch();
  other.port = 9002;
  other.words.back() = "9002";
  other.environment["PATH"] = "/usr/bin";
  EXPECT_EQ(key(a_launch()), key(other));
  other.words = {"vllm", "serve", "m", "--port", "9002"};
  EXPECT_EQ(launch_shape(a_launch()), launch_shape(other));
}

TEST(LayoutKey, WhatDecidesWhetherItWorksDoes) {
  std::vector<EngineLaunch> others(6, a_launch());
  others[0].version = "0.12.0";
  others[1].words.insert(others[1].words.end(), {"--max-model-len", "4096"});
  others[2].environment["VLLM_USE_V1"] = "0";
  others[3].gpus = {2, 3};
  others[4].model = "n";
  others[5].words = {"vllm", "serve", "m--port", "9001"};  // no two words run together
  for (const EngineLaunch& other : others) EXPECT_NE(key(a_launch()), key(other));
  EXPECT_NE(key(a_launch()), key(a_launch(), "driver 2"));
}

TEST(LayoutKey, OfTwoModelsEachHasItsOwn) {
  EngineLaunch b = a_launch();
  b.model = "n";
  EngineLaunch smaller = b;
  smaller.gpus = {0};
  const DeployedLayout both{.label = "TP2 + TP2", .replicas = {a_launch(), b}, .proves = ""};
  const DeployedLayout less{.label = "TP2 + TP1", .replicas = {a_launch(), smaller}, .proves = ""};
  EXPECT_EQ(layout_key(both, "m", ""), layout_key(less, "m", ""));
  EXPECT_NE(layout_key(both, "n", ""), layout_key(less, "n", ""));
  EXPECT_NE(layout_key(both, "n", ""), layout_key(both, "m", ""));
  EXPECT_EQ(layout_name(both, "n"), "TP2 + TP2 (n)");
}

TEST(LayoutKey, TheDriverSpeaksForTheMachine) {
  MemoryFiles files;
  EXPECT_EQ(machine_words(files), "");
  files.add("/proc/driver/nvidia/version", "NVRM version: NVIDIA 550.54.15\nGCC version: 12\n");
  EXPECT_EQ(machine_words(files), "NVRM version: NVIDIA 550.54.15");
}

}  // namespace
}  // namespace sx
