// What the failure of a rung means beside what worked before it.
#include "run/ladder_tale.h"

#include <gtest/gtest.h>

#include "run/layout_memory.h"

namespace sx {
namespace {

RungResult good(std::string label, std::size_t gpus) {
  return {.label = std::move(label),
          .model = "m",
          .proves = "it starts",
          .gpus = gpus,
          .good = true,
          .cause = ""};
}
RungResult bad(std::string label, std::size_t gpus, std::string cause, bool hung = false) {
  return {.label = std::move(label),
          .model = "m",
          .proves = "",
          .gpus = gpus,
          .good = false,
          .cause = std::move(cause),
          .hung = hung};
}
std::string verdict(const std::vector<RungResult>& results) {
  const auto said = ladder_verdict(results);
  if (!said) return "-";
  EXPECT_NE(said->chinese, said->english);
  return said->english.substr(0, said->english.find(" ("));
}

TEST(LadderTale, NothingIsSaidWhileNothingFailed) {
  EXPECT_EQ(verdict({}), "-");
  EXPECT_EQ(verdict({good("TP1", 1), good("TP2", 2)}), "-");
  // Without a ladder a cause speaks for itself.
  EXPECT_EQ(verdict({bad("TP4", 4, "oom-cudagraph")}), "-");
}

TEST(LadderTale, AProgramThatIsNotThereProvesNothing) {
  EXPECT_EQ(verdict({good("TP1", 1), bad("TP2", 2, "program-absent")}), "-");
  auto rung = bad("TP1", 1, "program-refused");
  rung.proves = "it starts";
  EXPECT_EQ(verdict({rung}), "-");
  rung.cause = "process-died";
  EXPECT_NE(verdict({rung}), "-");
}

TEST(LadderTale, TwoWorkFourHangIsTheLinks) {
  EXPECT_EQ(verdict({good("TP1", 1), good("TP2", 2), bad("TP4", 4, "stalled", true)}),
            "TP2 works, TP4 hangs: it is the links between its GPUs");
  EXPECT_EQ(verdict({good("TP2", 2), bad("TP4", 4, "collective-deadlock")}),
            "TP2 works, TP4 fails in communication: it is the links between its GPUs");
}

TEST(LadderTale, FourWorkSixRefusedIsTheHeads) {
  EXPECT_EQ(verdict({good("TP4", 4), bad("TP6", 6, "tp-heads-indivisible")}),
            "TP4 works, TP6 is refused: the model is not split that way");
}

TEST(LadderTale, ALargerOneThatWorkedSaysNothing) {
  EXPECT_EQ(verdict({good("TP1", 1), good("TP4", 4), bad("TP2", 2, "oom-cudagraph")}),
            "TP1 works, TP2 runs out of memory: it is its sizes");
}

TEST(LadderTale, MemoryAndMachineAreToldApart) {
  EXPECT_EQ(verdict({good("TP1", 1), bad("TP2", 2, "oom-cudagraph")}),
            "TP1 works, TP2 runs out of memory: it is its sizes");
  EXPECT_EQ(verdict({good("TP1", 1), bad("TP2", 2, "gpu-fallen-off-bus")}),
            "TP1 works, TP2 does not: it is the machine, or a GPU that TP1 did not use");
}

TEST(LadderTale, WhatFailsOnOneGpuIsNotTheLinks) {
  std::vector<RungResult> results{bad("TP1", 1, "weights-truncated")};
  results[0].proves = "files";
  EXPECT_EQ(verdict(results),
            "TP1 fails already, and one GPU talks to no other: it is not the links");
  results[0].gpus = 2;
  results[0].label = "TP2";
  EXPECT_EQ(verdict(results),
            "TP2 is the smallest layout that fits and fails: nothing is proven yet");
}

TEST(LadderTale, AReplicaThatIsReadyAgainIsNoNewResult) {
  LadderTale tale;
  const DeployedLayout layout{.label = "TP2", .replicas = {}, .proves = ""};
  const LayoutProven proven{.rung = false, .layout = 0, .good = true, .cause = ""};
  tale.add(layout, proven);
  tale.add(layout, proven);
  EXPECT_EQ(tale.results().size(), 1U);
  tale.add(layout, {.rung = false, .layout = 0, .good = false, .cause = "x"});
  EXPECT_EQ(tale.results().size(), 2U);
}

}  // namespace
}  // namespace sx
