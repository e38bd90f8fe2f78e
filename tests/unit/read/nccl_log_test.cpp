// NCCL_DEBUG=INFO as several versions write it, and what torch's watchdog adds.
#include "read/nccl_log.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "read/collective_log.h"

namespace sx {
namespace {

NcclLog read(std::string_view text, std::vector<std::string_view> reasons = {}) {
  NcclLogReader reader(std::move(reasons));
  std::uint64_t number = 0;
  for (const std::string_view line : lines_of(text)) reader.take(line, {0, ++number});
  return reader.log();
}

TEST(NcclLog, RanksOfOneGroupComeTogetherByItsCommonName) {
  const NcclLog log = read(
      "NCCL version 2.27.5+cuda12.9\n"
      "node-a:812:980 [0] NCCL INFO ncclCommInitRank comm 0x5590 rank 0 nranks 2 cudaDev 0 nvmlDev "
      "0 busId 1a000 commId 0xfe21 - Init START\n"
      "node-a:813:981 [1] NCCL INFO [Rank 1] ncclCommInitRank comm 0x77a0 rank 1 nranks 2 cudaDev "
      "1 nvmlDev 1 busId 100bd000 commId 0xfe21 - Init START\n"
      "node-a:812:980 [0] NCCL INFO ncclCommInitRank comm 0x5590 rank 0 nranks 2 cudaDev 0 nvmlDev "
      "0 busId 1a000 commId 0xfe21 - Init COMPLETE\n");
  EXPECT_EQ(log.version, "2.27.5+cuda12.9");
  ASSERT_EQ(log.groups.size(), 1U);
  const NcclGroup& group = log.groups.front();
  EXPECT_EQ(group.size, 2);
  ASSERT_EQ(group.ranks.size(), 2U);
  EXPECT_TRUE(group.ranks[0].completed);
  EXPECT_FALSE(group.ranks[1].completed);
  EXPECT_EQ(group.ranks[0].process, "node-a:812");
  EXPECT_EQ(group.ranks[0].bus, "0000:1a:00.0");
  EXPECT_EQ(group.ranks[1].bus, "0100:bd:00.0");
  EXPECT_EQ(group.ranks[0].began.line, 2U);
}

TEST(NcclLog, OldVersionsHaveNoCommonNameAndStillMeet) {
  const NcclLog log = read(
      "h:1:9 [0] NCCL INFO comm 0xa0 rank 0 nranks 2 cudaDev 0 busId 4000 - Init START\n"
      "h:2:9 [1] NCCL INFO comm 0xb0 rank 1 nranks 2 cudaDev 1 busId 5000 - Init START\n"
      "h:1:9 [0] NCCL INFO comm 0xa1 rank 0 nranks 2 cudaDev 0 busId 4000 - Init START\n"
      "h:2:9 [1] NCCL INFO comm 0xb0 rank 1 nranks 2 cudaDev 1 busId 5000 - Init COMPLETE\n");
  ASSERT_EQ(log.groups.size(), 2U);
  EXPECT_EQ(log.groups[0].ranks.size(), 2U);
  EXPECT_EQ(log.groups[1].ranks.size(), 1U);
  EXPECT_TRUE(log.groups[0].find(1)->completed);
}

TEST(NcclLog, EachPairHasItsWay) {
  const NcclLog log = read(
      "h:1:9 [0] NCCL INFO comm 0xa0 rank 0 nranks 9 cudaDev 0 busId 4000 commId 0x1 - Init START\n"
      "h:1:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
      "h:1:9 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
      "h:1:9 [0] NCCL INFO Channel 00 : 0[4000] -> 2[5000] via direct shared memory\n"
      "h:1:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0(0)/GDRDMA\n"
      "h:1:9 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/Socket/0\n");
  ASSERT_EQ(log.groups.size(), 1U);
  const auto& pairs = log.groups[0].pairs;
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].how, "P2P/CUMEM");
  EXPECT_EQ(pairs[0].channels, 2);
  EXPECT_EQ(pairs[1].how, "SHM");
  EXPECT_EQ(pairs[2].how, "NET/IB/GDRDMA");
  EXPECT_EQ(pairs[2].to, 8);
}

TEST(NcclLog, TheEnvironmentTheNetworkAndTheFirstFailureAreKept) {
  const NcclLog log = read(
      "h:1:9 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.\n"
      "h:1:9 [0] NCCL INFO Using network Socket\n"
      "h:1:9 [0] NCCL INFO NET/IB : No device found.\n"
      "h:1:9 [0] NCCL INFO transport/net_socket.cc:340 -> 2\n"
      "h:1:9 [0] NCCL INFO transport/net.cc:11 -> 2\n"
      "[2026-11-01 10:00:00] h:1:9 [0] transport/x.cc:5 NCCL WARN Cuda failure 'out of memory'\n",
      {"No device found"});
  ASSERT_EQ(log.settings.size(), 1U);
  EXPECT_EQ(log.settings[0].first, "NCCL_P2P_DISABLE");
  EXPECT_EQ(log.settings[0].second, "1");
  EXPECT_EQ(log.network, "Socket");
  EXPECT_EQ(log.failed_at.text, "transport/net_socket.cc:340 -> 2");
  ASSERT_EQ(log.reasons.size(), 1U);
  EXPECT_EQ(log.reasons[0].at.line, 3U);
  ASSERT_EQ(log.warnings.size(), 1U);
}

TEST(NcclLog, NumbersThatCannotBeAreNoRanks) {
  const NcclLog log = read(
      "h:1:9 [0] NCCL INFO comm 0xa0 rank 5 nranks 2 cudaDev 0 busId 4000 - Init START\n"
      "h:1:9 [0] NCCL INFO comm 0xa0 rank 99999999999999999999 nranks 2 - Init START\n"
      "h:1:9 [0] NCCL INFO Channel : -> via\n");
  EXPECT_TRUE(log.groups.empty());
}

TEST(NcclLog, AGroupThatIsToldTwoSizesHasTheGreater) {
  const NcclLog log = read(
      "h:1:9 [0] NCCL INFO comm 0xa0 rank 0 nranks 2 cudaDev 0 busId 4000 commId 0x9 - Init START\n"
      "h:2:9 [3] NCCL INFO comm 0xa3 rank 3 nranks 4 cudaDev 3 busId 7000 commId 0x9 - Init "
      "START\n");
  ASSERT_EQ(log.groups.size(), 1U);
  EXPECT_EQ(log.groups.front().size, 4);
}

using Taken = CollectiveLogReader::Taken;

TEST(CollectiveLog, RanksAndHowFarTheyCame) {
  CollectiveLogReader reader;
  EXPECT_EQ(
      reader.take("[rank1]:[E ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught "
                  "collective operation timeout: WorkNCCL(SeqNum=88, OpType=ALLGATHER, "
                  "NumelIn=512, NumelOut=4096, Timeout(ms)=600000) ran for 600052 milliseconds "
                  "before timing out.",
                  -1, {0, 4}),
      Taken::Yes);
  EXPECT_EQ(reader.take("[PG ID 2 PG GUID 3(tp) Rank 1] failure detected by watchdog at work "
                        "sequence id: 88 PG status: last enqueued work: 91, last completed work: "
                        "87",
                        -1, {0, 5}),
            Taken::Yes);
  EXPECT_EQ(reader.take("all is well", 0, {0, 6}), Taken::No);
  ASSERT_EQ(reader.waits().size(), 2U);
  EXPECT_EQ(reader.waits()[0].rank, 1);
  EXPECT_EQ(reader.waits()[0].sequence, 88);
  EXPECT_EQ(reader.waits()[0].operation, "ALLGATHER");
  EXPECT_EQ(reader.waits()[0].values_in, 512);
  EXPECT_EQ(reader.waits()[0].values_out, 4096);
  EXPECT_EQ(reader.waits()[1].group, "2");
  EXPECT_EQ(reader.waits()[1].enqueued, 91);
  EXPECT_EQ(reader.waits()[1].completed, 87);
}

TEST(CollectiveLog, TheDumpSignalTellsHowFarARankCame) {
  CollectiveLogReader reader;
  reader.take(
      "[rank3]:[E ProcessGroupNCCL.cpp:1746] [PG ID 0 PG GUID 0(default_pg) Rank 3] "
      "Received a dump signal due to a collective timeout from rank 0 and we will try our "
      "best to dump the debug info. Last enqueued NCCL work: 41, last completed NCCL "
      "work: 40.This is most likely caused by incorrect usages of collectives",
      3, {0, 1});
  ASSERT_EQ(reader.waits().size(), 1U);
  EXPECT_EQ(reader.waits()[0].enqueued, 41);
  EXPECT_EQ(reader.waits()[0].completed, 40);
}

TEST(CollectiveLog, TheStackTellsWhoCalled) {
  CollectiveLogReader reader;
  reader.take(
      "[Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
      "OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=1) ran for 2 milliseconds",
      2, {0, 1});
  EXPECT_EQ(reader.take("[rank2]:[E ProcessGroupNCCL.cpp:801] Stack trace of the failed "
                        "collective: ",
                        2, {0, 2}),
            Taken::AndNext);
  EXPECT_EQ(
      reader.take("#0 all_reduce from /v/torch/distributed/distributed_c10d.py:3174", -1, {0, 3}),
      Taken::AndNext);
  EXPECT_EQ(reader.take("#1 wrapper from /v/torch/distributed/c10d_logger.py:83", -1, {0, 4}),
            Taken::AndNext);
  reader.take("#2 forward from /v/engine/layers/linear.py:412", -1, {0, 5});
  reader.take("#3 run from /v/engine/worker.py:9", -1, {0, 6});
  EXPECT_EQ(reader.waits()[0].caller, "forward (linear.py:412)");
  EXPECT_EQ(reader.take("#4 main from /v/engine/main.py:1", -1, {0, 7}), Taken::No);
}

}  // namespace
}  // namespace sx
