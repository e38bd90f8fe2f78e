// The three forms in which stacks come, with what stands around them.
#include "read/stacks.h"

#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"

namespace sx {
namespace {

// As the reader of a log hands them over: lines after a header until it wants no more.
StackLog read(std::string_view text, std::string_view file = "stacks.txt") {
  StackReader reader;
  std::string before;
  std::uint64_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    reader.take(line, before, {}, -1, file, {0, ++number});
    if (!trimmed(line).empty()) before = line;
  }
  return reader.log();
}

TEST(Stacks, PySpyWithLocalsAndSeveralProcesses) {
  const StackLog log = read(
      "Process 4243: VLLM::Worker_TP1\nPython v3.12.3 (/usr/bin/python3.12)\n\n"
      "Thread 4243 (idle): \"MainThread\"\n"
      "    all_reduce (vllm/distributed/device_communicators/pynccl.py:113)\n"
      "        Arguments:\n            self: <PyNccl at 0x7f>\n"
      "    forward (vllm/model_executor/layers/linear.py:1300)\n"
      "Thread 4301 (active+gil): \"Thread-1\"\n    run (threading.py:10)\n\n"
      "Process 4244: VLLM::Worker_TP2\nPython v3.12.3 (/usr/bin/python3.12)\n\n"
      "Thread 4244 (idle): \"MainThread\"\n    sleep (x.py:1)\n");
  ASSERT_EQ(log.processes.size(), 2U);
  const StackProcess& first = log.processes.front();
  EXPECT_EQ(first.pid, 4243);
  EXPECT_EQ(first.rank, 1);
  ASSERT_EQ(first.threads.size(), 2U);
  EXPECT_TRUE(first.threads[0].main);
  ASSERT_EQ(first.threads[0].frames.size(), 2U);
  EXPECT_EQ(first.threads[0].frames[0].name, "all_reduce");
  EXPECT_EQ(first.threads[0].frames[0].where, "pynccl.py:113");
  EXPECT_EQ(first.threads[0].frames[1].at.line, 8U);
  EXPECT_EQ(log.processes[1].rank, 2);
}

TEST(Stacks, GdbCountsThreadsDownToTheMainOne) {
  const StackLog log = read(
      "Thread 2 (Thread 0x7f1200 (LWP 900) \"python3\"):\n"
      "#0  0x00007f12aa in pthread_cond_wait@@GLIBC_2.3.2 () from /lib/x86_64/libc.so.6\n\n"
      "Thread 1 (Thread 0x7f1300 (LWP 890) \"VLLM::Worker_TP\"):\n"
      "#0  0x00007f12bb in ?? () from /usr/lib/libcuda.so.1\n"
      "#1  0x00007f12cc in cudaStreamSynchronize () from /usr/lib/libcudart.so.12\n"
      "#2  main (argc=1) at src/main.c:10\n\n"
      "Thread 1 (Thread 0x7f1300 (LWP 891) \"VLLM::Worker_TP\"):\n"
      "#0  read () from /lib/libc.so.6\n");
  ASSERT_EQ(log.processes.size(), 2U);
  EXPECT_EQ(log.processes[0].pid, 890);
  ASSERT_EQ(log.processes[0].threads.size(), 2U);
  EXPECT_EQ(log.processes[0].threads[0].frames[0].name, "pthread_cond_wait");
  const auto& frames = log.processes[0].threads[1].frames;
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].name, "cudaStreamSynchronize");
  EXPECT_EQ(frames[1].where, "libcudart.so.12");
  EXPECT_EQ(frames[2].where, "main.c:10");
  EXPECT_EQ(log.processes[1].pid, 891);
}

TEST(Stacks, FaultHandlerAndTheRankOfItsFile) {
  const StackLog log = read(
      "Timeout (0:00:30)!\n"
      "Thread 0x00007f1200 (most recent call first):\n"
      "  File \"/usr/lib/python3.12/threading.py\", line 355 in wait\n\n"
      "Current thread 0x00007f1300 (most recent call first):\n"
      "  File \"/x/torch/distributed/distributed_c10d.py\", line 2501 in all_reduce\n"
      "  File \"/x/worker.py\", line 12 in step\n",
      "/logs/rank3.err");
  ASSERT_EQ(log.processes.size(), 1U);
  EXPECT_EQ(log.processes[0].rank, 3);
  ASSERT_EQ(log.processes[0].threads.size(), 2U);
  EXPECT_FALSE(log.processes[0].threads[0].main);
  EXPECT_TRUE(log.processes[0].threads[1].main);
  EXPECT_EQ(log.processes[0].threads[1].frames[0].where, "distributed_c10d.py:2501");
}

TEST(Stacks, NamesTellRanks) {
  EXPECT_EQ(rank_in_name("VLLM::Worker_PP1_TP3"), 3);
  EXPECT_EQ(rank_in_name("sglang::scheduler_TP2"), 2);
  EXPECT_EQ(rank_in_name("worker.py --rank=7"), 7);
  EXPECT_EQ(rank_in_name("python3 ranks.py --rank=1"), 1);
  EXPECT_EQ(rank_in_name("rank 5"), 5);
  EXPECT_EQ(rank_in_name("uvicorn"), -1);
  EXPECT_EQ(rank_in_name("rank99999999999999999999"), -1);
}

TEST(Stacks, WordsThatLookAlikeAreNoStacks) {
  EXPECT_TRUE(read("Process EngineCore_DP0:\nTraceback (most recent call last):\n"
                   "    all_reduce (pynccl.py:113)\n#0 nothing\n")
                  .processes.empty());
}

using Values = std::vector<std::pair<std::string, std::string>>;

TEST(Stacks, NumbersAndShapesAmongLocalsAreKeptAndNothingElse) {
  const StackLog log = read(
      "Process 9: VLLM::Worker_TP0\nPython v3.12.3 (/usr/bin/python3)\n\n"
      "Thread 9 (active): \"MainThread\"\n"
      "    apply (vllm/model_executor/layers/linear.py:240)\n"
      "        Arguments:\n            x: <Tensor at 0x7f>\n            num_tokens: 8192\n"
      "        Locals:\n            shape: (8192, 4096)\n            key: \"sk-secret\"\n"
      "            prompt: [\"a\", \"b\"]\n            scale: 0.5\n"
      "    forward (vllm/model_executor/models/qwen2.py:90)\n");
  const auto& frames = log.processes.front().threads.front().frames;
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].values, (Values{{"num_tokens", "8192"}, {"shape", "(8192, 4096)"}}));
  EXPECT_TRUE(frames[1].values.empty());
}

TEST(Stacks, GdbTellsNumbersOfArgumentsWhereThereAreSymbols) {
  const StackLog log = read(
      "Thread 1 (Thread 0x7f12 (LWP 77) \"VLLM::Worker_TP0\"):\n"
      "#0  0x00007f12 in cublasGemmEx (handle=0x55e0, m=8192, n=16, k=4096, alpha=0x7ffc) from "
      "/lib/libcublas.so.12\n"
      "#1  0x00007f13 in at::native::addmm_out_cuda () from /lib/libtorch_cuda.so\n");
  const auto& frames = log.processes.front().threads.front().frames;
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].values, (Values{{"m", "8192"}, {"n", "16"}, {"k", "4096"}}));
  EXPECT_TRUE(frames[1].values.empty());
}

}  // namespace
}  // namespace sx
