// Runs whose own words name no cause, and what stands beside them.
#include "logs/beside.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "logs/beside_causes.h"
#include "logs/nccl_verdict.h"
#include "logs/waits.h"

namespace sx {
namespace {

struct Read {
  RunLog run;
  Beside beside;
  Diagnosis diagnosis;
};

Read read(std::string_view text, std::size_t piece = std::string_view::npos) {
  static SignatureSet set(signatures(), BesideReader::literals());
  BesideReader beside;
  RunReader reader(set, [&](const BesideLine& line) { return beside.take(line); });
  beside.begin_file("x.log");
  reader.begin_file("x.log");
  while (!text.empty()) {
    reader.feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  reader.end_file();
  Read all{.run = reader.take(), .beside = beside.so_far(), .diagnosis = {}};
  all.diagnosis = diagnose(all.run);
  add_beside(all.diagnosis, all.beside, all.run);
  return all;
}

std::string said(const Read& all) {
  if (all.diagnosis.causes.empty()) return "nothing";
  const FoundCause& cause = all.diagnosis.causes.front();
  return std::string(cause.name) + " at " + std::to_string(cause.root.place.line) + " of " +
         rank_list(cause.ranks);
}

std::string start(int rank, int size) {
  const std::string r = std::to_string(rank);
  return "host-b:70" + r + ":99 [" + r + "] NCCL INFO ncclCommInitRank comm 0xaa" + r + " rank " +
         r + " nranks " + std::to_string(size) + " cudaDev " + r + " nvmlDev " + r + " busId " + r +
         "b000 commId 0x77 - Init START\n";
}
std::string complete(int rank, int size) {
  std::string line = start(rank, size);
  return line.substr(0, line.size() - 6) + "COMPLETE\n";
}
std::string channel(int from, int to, std::string_view how) {
  const std::string a = std::to_string(from);
  const std::string b = std::to_string(to);
  return "host-b:70" + a + ":99 [" + a + "] NCCL INFO Channel 00/0 : " + a + "[" + a + "] -> " + b +
         "[" + b + "] via " + std::string(how) + "\n";
}
std::string stack(int rank, std::string_view frame) {
  const std::string r = std::to_string(rank);
  return "Process 80" + r + ": VLLM::Worker_TP" + r + "\nPython v3.12.3 (/usr/bin/python3)\n\n" +
         "Thread 80" + r + " (idle): \"MainThread\"\n    " + std::string(frame) + "\n\n";
}

TEST(Beside, ARankThatNeverBeganIsTheCause) {
  EXPECT_EQ(said(read(start(0, 4) + start(1, 4) + start(3, 4))), "rank-never-joined at 1 of 2");
  EXPECT_EQ(said(read(start(0, 2))), "nothing");  // the log of one rank tells nothing of others
}

TEST(Beside, TransfersAreSuspectedOnlyWhereThereAreSome) {
  const std::string begun = start(0, 2) + start(1, 2);
  EXPECT_EQ(said(read(begun + channel(0, 1, "P2P/CUMEM"))), "p2p-hang at 1 of 0, 1");
  EXPECT_EQ(said(read(begun + channel(0, 1, "SHM/direct/direct"))), "nothing");
  EXPECT_EQ(said(read(begun + channel(0, 1, "P2P/IPC") + complete(0, 2) + complete(1, 2))),
            "nothing");
}

TEST(Beside, TheRankThatWaitsElsewhereIsBehind) {
  const std::string_view reduce = "all_reduce (torch/distributed/distributed_c10d.py:2501)";
  const Read all = read(stack(0, reduce) + stack(1, reduce) +
                        stack(2, "acquire (filelock/_api.py:344)") + stack(3, reduce));
  EXPECT_EQ(said(all), "rank-behind at 17 of 2");
  EXPECT_EQ(said(read(stack(0, reduce) + stack(1, "get_tensor (x.py:4)"))),
            "rank-behind at 11 of 1");
}

TEST(Beside, MethodsAreKnownWithTheirClassToo) {
  const std::string_view reduce = "PyNcclCommunicator.all_reduce (pynccl.py:113)";
  EXPECT_EQ(said(read(stack(0, reduce) + stack(1, "Condition.wait (threading.py:327)") +
                      stack(2, reduce))),
            "rank-behind at 11 of 1");
}

TEST(Beside, RanksInUnlikeCollectivesAreOutOfStep) {
  EXPECT_EQ(said(read(stack(0, "all_reduce (distributed_c10d.py:1)") +
                      stack(1, "all_gather (distributed_c10d.py:2)"))),
            "collective-deadlock at 5 of ");
}

TEST(Beside, WorkersThatWaitForWorkAreIdle) {
  const std::string_view idle =
      "acquire_read (vllm/distributed/device_communicators/shm_broadcast.py:500)";
  EXPECT_EQ(said(read(stack(0, idle) + stack(1, idle) + stack(2, idle))), "nothing");
}

TEST(Beside, PiecesOfAnySizeSayTheSame) {
  const std::string_view reduce = "all_reduce (torch/distributed/distributed_c10d.py:2501)";
  const std::string text = start(0, 2) + channel(0, 1, "P2P/IPC") + stack(0, reduce) +
                           stack(1, reduce) + stack(2, "load_file (safetensors/torch.py:383)");
  const std::string whole = said(read(text));
  EXPECT_EQ(whole, "rank-behind at 19 of 2");
  for (const std::size_t piece : {1U, 7U, 64U}) {
    const Read parts = read(text, piece);
    EXPECT_EQ(said(parts), whole) << piece;
    EXPECT_EQ(parts.beside.nccl.groups.size(), 1U);
    EXPECT_EQ(parts.beside.stacks.processes.size(), 3U);
  }
}

TEST(Beside, KernelLinesKeepTheirPlaces) {
  const Read all = read(
      "words\n[ 1.5] NVRM: Xid (PCI:0000:3d:00): 79, pid=1, GPU has fallen off the bus.\n\n"
      "Oct 01 13:00:00 h kernel: Out of memory: Killed process 42 (python3) total-vm:1kB\n");
  ASSERT_EQ(all.beside.kernel.size(), 2U);
  EXPECT_EQ(all.beside.kernel[0].event.code, 79);
  EXPECT_EQ(all.beside.kernel[0].at.line, 2U);
  EXPECT_EQ(all.beside.kernel[1].event.process, "python3");
  EXPECT_EQ(all.beside.kernel[1].at.line, 4U);
}

TEST(Beside, TheRankThatGaveFewerCollectivesIsBehind) {
  const auto status = [](int rank, int enqueued) {
    return "[PG ID 1 Rank " + std::to_string(rank) +
           "] last enqueued NCCL work: " + std::to_string(enqueued) +
           ", last completed NCCL work: 4.\n";
  };
  const Read all = read(status(0, 9) + status(1, 9) + status(2, 7));
  EXPECT_EQ(verdict_of(all.beside.collectives, all.beside.nccl).behind, std::vector<int>{2});
}

TEST(Beside, ARankThatStillMultipliesIsWaitedFor) {
  const std::string_view reduce = "all_reduce (torch/distributed/distributed_c10d.py:2501)";
  const Read all = read(stack(0, reduce) + stack(1, reduce) +
                        stack(2,
                              "apply (vllm/model_executor/layers/linear.py:240)\n"
                              "        Locals:\n            num_tokens: 8192"));
  EXPECT_EQ(said(all), "rank-behind at 17 of 2");
  const Waits waits = waits_of(all.beside.stacks);
  const Wait& odd = waits.all[waits.behind.front()];
  EXPECT_EQ(odd.row->kind, WaitKind::Compute);
  ASSERT_EQ(odd.frame->values.size(), 1U);
  EXPECT_EQ(odd.frame->values.front().second, "8192");
}

TEST(Beside, UnlikeSizesAtOneCollectiveAreTold) {
  const auto caught = [](int rank, int values) {
    return "[Rank " + std::to_string(rank) +
           "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, "
           "NumelIn=" +
           std::to_string(values) + ", NumelOut=" + std::to_string(values) +
           ", Timeout(ms)=600000) ran for 600001 milliseconds before timing out.\n";
  };
  const Read unlike = read(caught(0, 8192) + caught(1, 4096));
  const auto verdict = verdict_of(unlike.beside.collectives, unlike.beside.nccl);
  ASSERT_EQ(verdict.unlike.size(), 2U);
  EXPECT_EQ(verdict.unlike[1].second, "ALLREDUCE (4096)");
  const Read same = read(caught(0, 8192) + caught(1, 8192));
  EXPECT_TRUE(verdict_of(same.beside.collectives, same.beside.nccl).unlike.empty());
}

TEST(RankList, RunsAreShort) {
  EXPECT_EQ(rank_list({0, 1, 2, 3, 5, 7, 8}), "0-3, 5, 7, 8");
  EXPECT_EQ(rank_list({}), "");
}

}  // namespace
}  // namespace sx
