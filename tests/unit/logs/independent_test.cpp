// Logs in which more than one thing went wrong, and logs in which it only looks so.
#include "logs/independent.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "knowledge/causes.h"
#include "knowledge/consequences.h"
#include "logs/diagnosis.h"
#include "logs/run_reader.h"

namespace sx {
namespace {

Diagnosis read(const std::vector<std::string>& files) {
  static SignatureSet set(signatures());
  RunReader reader(set);
  for (std::size_t i = 0; i < files.size(); ++i) {
    reader.begin_file(std::to_string(i) + ".log");
    reader.feed(files[i]);
    reader.end_file();
  }
  return diagnose(reader.take());
}

// "name at file:line", an earlier start's in brackets.
std::string said(const std::vector<std::string>& files) {
  std::string out;
  for (const FoundCause& cause : read(files).causes) {
    std::string one = std::string(cause.name) + " at " + std::to_string(cause.root.place.file) +
                      ":" + std::to_string(cause.root.place.line);
    if (cause.earlier) one = "(" + one + ")";
    out += (out.empty() ? "" : ", ") + one;
  }
  return out.empty() ? "nothing" : out;
}

std::string error(std::string_view process, std::string_view words,
                  std::string_view clock = "18:12:29") {
  return "(" + std::string(process) + " pid=9) ERROR 11-29 " + std::string(clock) +
         " [core.py:1] " + std::string(words) + "\n";
}

constexpr std::string_view kNoBlocks =
    "ValueError: No available memory for the cache blocks. Try increasing "
    "`gpu_memory_utilization` when initializing the engine.";
constexpr std::string_view kFull = "OSError: [Errno 28] No space left on device: '/cache/x'";
constexpr std::string_view kPort = "OSError: [Errno 98] Address already in use";
constexpr std::string_view kQuant = "ValueError: Unknown quantization method: x.";
constexpr std::string_view kNoKernel =
    "torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device";
constexpr std::string_view kBus =
    "[ 12.345678] NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus.\n";

TEST(Independent, ReplicasMayFailOfUnlikeThings) {
  EXPECT_EQ(said({error("EngineCore_DP0", kNoBlocks) + error("EngineCore_DP1", kFull)}),
            "no-kv-blocks at 0:1, disk-full at 0:2");
}

TEST(Independent, OneProcessFailsOfOneThing) {
  EXPECT_EQ(
      read({error("EngineCore_DP0", kNoBlocks) + error("EngineCore_DP0", kFull)}).causes.size(),
      1U);
  EXPECT_EQ(read({std::string(kNoBlocks) + "\n" + std::string(kFull) + "\n"}).causes.size(), 1U);
}

TEST(Independent, WhatIsAlsoSaidWhereTheAnswerStandsIsPartOfIt) {
  EXPECT_EQ(read({error("EngineCore_DP0", kNoBlocks) + error("EngineCore_DP1", kFull) +
                  error("EngineCore_DP1", kNoBlocks)})
                .causes.size(),
            1U);
}

TEST(Independent, ADeadGpuAndAFullDiskAreTwo) {
  EXPECT_EQ(said({error("Worker_TP0", kFull), std::string(kBus)}),
            "gpu-fallen-off-bus at 1:1, disk-full at 0:1");
}

TEST(Independent, WhatADeadGpuBringsAboutIsNone) {
  EXPECT_EQ(said({error("Worker_TP0",
                        "torch.AcceleratorError: CUDA error: an illegal memory "
                        "access was encountered") +
                      error("Worker_TP1", "RuntimeError: NCCL error: unhandled system error"),
                  std::string(kBus)}),
            "gpu-fallen-off-bus at 1:1");
}

TEST(Independent, TwoGpusMayBreakOnTheirOwn) {
  const std::string ecc = "[ 13.0] NVRM: Xid (PCI:0000:1a:00): 95, pid=2, Uncontained ECC error\n";
  const std::string same = "[ 13.0] NVRM: Xid (PCI:0000:41:00): 95, pid=2, Uncontained ECC error\n";
  // One of them may bring the other about where both are of the same card, and the table says so
  // of any card; a full disk beside is not touched by that.
  EXPECT_EQ(read({std::string(kBus) + same}).causes.size(), 1U);
  EXPECT_EQ(read({std::string(kBus) + ecc}).causes.front().name, "gpu-fallen-off-bus");
}

TEST(Independent, RanksOfOneReplicaMustSaySoAtOnceAndForCertain) {
  EXPECT_EQ(said({error("Worker_TP0", kQuant) + error("Worker_TP1", kNoKernel)}),
            "quant-unknown at 0:1, gpu-arch-unsupported at 0:2");
  EXPECT_EQ(read({error("Worker_TP0", kQuant) + error("Worker_TP1", kNoKernel, "18:14:00")})
                .causes.size(),
            1U);
  // Both for lack of memory: one is enough.
  EXPECT_EQ(read({error("Worker_TP0", kNoBlocks) +
                  error("Worker_TP1",
                        "torch.OutOfMemoryError: CUDA out of memory. Tried to "
                        "allocate 2.00 GiB.")})
                .causes.size(),
            1U);
}

std::string start(std::string_view words) {
  return "INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1\n"
         "Starting to load model x...\n" +
         std::string(words) + "\n";
}

TEST(Starts, TheLastOneIsTheAnswerAndTheEarlierOneIsSaid) {
  EXPECT_EQ(said({start(kQuant) + start(kPort)}), "port-in-use at 0:6, (quant-unknown at 0:3)");
  EXPECT_EQ(said({start(kPort) + start(kQuant)}), "quant-unknown at 0:6, (port-in-use at 0:3)");
}

TEST(Starts, TheSameFailureAgainIsOne) {
  EXPECT_EQ(said({start(kPort) + start(kPort) + start(kPort)}), "port-in-use at 0:9");
}

TEST(Starts, AKernelLogTellsOfTheLastOne) {
  EXPECT_EQ(said({start(kPort) + start("words"), std::string(kBus)}),
            "gpu-fallen-off-bus at 1:1, (port-in-use at 0:3)");
}

TEST(Starts, SettingsAreThoseOfTheLastOne) {
  static SignatureSet set(signatures());
  RunReader reader(set);
  reader.begin_file("x");
  const auto dump = [](int size) {
    return "INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1\n"
           "INFO 11-29 18:12:29 [utils.py:1] non-default args: {'model': 'm', "
           "'tensor_parallel_size': " +
           std::to_string(size) + "}\nStarting to load model m...\n";
  };
  reader.feed(dump(2) + dump(8));
  reader.end_file();
  EXPECT_TRUE(reader.so_far().arguments.contains("'tensor_parallel_size': 8"));
}

TEST(Consequences, RowsNameCausesThatAreThere) {
  const auto known = [](std::string_view word) {
    constexpr std::string_view kFamily = "family:";
    if (word == "*") return true;
    for (const CauseRow& row : causes()) {
      if (row.name == word) return true;
      if (word.starts_with(kFamily) && row.family == word.substr(kFamily.size())) return true;
    }
    return false;
  };
  ASSERT_GT(consequences().size(), 30U);
  for (const ConsequenceRow& row : consequences()) {
    EXPECT_TRUE(known(row.cause)) << row.cause;
    EXPECT_FALSE(row.may_follow.empty()) << row.cause;
    EXPECT_FALSE(row.source.empty()) << row.cause;
    for (const std::string_view word : row.may_follow) EXPECT_TRUE(known(word)) << word;
  }
}

TEST(Consequences, ANameCountsBeforeItsFamily) {
  EXPECT_TRUE(may_follow("custom-all-reduce-failed", "disk-full"));
  EXPECT_FALSE(may_follow("nvlink-degraded", "disk-full"));
  EXPECT_TRUE(may_follow("nvlink-degraded", "gpu-fallen-off-bus"));
  EXPECT_FALSE(may_follow("disk-full", "gpu-fallen-off-bus"));
}

}  // namespace
}  // namespace sx
