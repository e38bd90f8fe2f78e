// Which layouts are not tried again, and what makes a launch the same launch.
#include "run/layout_memory.h"

#include <gtest/gtest.h>

#include "run/layout_key.h"
#include "sys/files.h"

namespace sx {
namespace {

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kNow = 20'000 * kDay;

Deployment of_layouts(std::vector<std::string> labels) {
  Deployment deployment{.name = "test"};
  for (std::string& label : labels)
    deployment.layouts.push_back({.label = std::move(label), .replicas = {}, .proves = ""});
  return deployment;
}
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

TEST(LayoutMemory, NothingKnownNothingLeftOut) {
  const auto memory = remembered_layouts(of_layouts({"TP4", "TP2"}), {{}, {}}, kNow);
  EXPECT_EQ(memory.first, 0U);
  EXPECT_FALSE(memory.proven);
  EXPECT_TRUE(memory.notes.empty());
}

TEST(LayoutMemory, WhatCannotHoldTheModelIsLeftOutAndSaid) {
  const auto memory = remembered_layouts(of_layouts({"TP4", "TP2", "TP1"}),
                                         {failed("TP4", "oom-cudagraph", kDay), {}, {}}, kNow);
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
    const auto memory =
        remembered_layouts(of_layouts({"TP4", "TP2"}), {failed("TP4", cause, 1), {}}, kNow);
    EXPECT_EQ(memory.first, 0U) << cause;
    EXPECT_TRUE(memory.notes.empty()) << cause;
  }
}

TEST(LayoutMemory, WhatMayGoAwayCountsForAWeek) {
  const auto first = [](std::int64_t ago) {
    return remembered_layouts(of_layouts({"TP4", "TP2"}),
                              {failed("TP4", "collective-deadlock", ago), {}}, kNow)
        .first;
  };
  EXPECT_EQ(first(kDay), 1U);
  EXPECT_EQ(first(8 * kDay), 0U);
}

TEST(LayoutMemory, AnUnknownEndCountsWhereAnotherLayoutWorkedAfterwards) {
  const auto layouts = of_layouts({"TP4", "TP2"});
  const auto end = failed("TP4", "process-died", kDay);
  EXPECT_EQ(remembered_layouts(layouts, {end, {}}, kNow).first, 0U);
  EXPECT_EQ(remembered_layouts(layouts, {end, worked("TP2", 2 * kDay)}, kNow).first, 0U);
  const auto memory = remembered_layouts(layouts, {end, worked("TP2", kDay / 2)}, kNow);
  EXPECT_EQ(memory.first, 1U);
  EXPECT_TRUE(memory.proven);
}

TEST(LayoutMemory, WhereAllFailedTheWantedOneIsTriedAndThatIsSaid) {
  const auto memory = remembered_layouts(
      of_layouts({"TP4", "TP2"}),
      {failed("TP4", "oom-cudagraph", kDay), failed("TP2", "oom-cudagraph", kDay)}, kNow);
  EXPECT_EQ(memory.first, 0U);
  EXPECT_EQ(memory.left_out, (std::vector<bool>{false, false}));
  ASSERT_EQ(memory.notes.size(), 1U);
  EXPECT_NE(memory.notes[0].english.find("it is tried again"), std::string::npos);
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
  return layout_key({.label = "TP2", .replicas = {launch}, .proves = ""}, machine);
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

TEST(LayoutKey, TheDriverSpeaksForTheMachine) {
  MemoryFiles files;
  EXPECT_EQ(machine_words(files), "");
  files.add("/proc/driver/nvidia/version", "NVRM version: NVIDIA 550.54.15\nGCC version: 12\n");
  EXPECT_EQ(machine_words(files), "NVRM version: NVIDIA 550.54.15");
}

}  // namespace
}  // namespace sx
