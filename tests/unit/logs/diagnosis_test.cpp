// Small runs, each with the one thing that a reading must get right.
#include "logs/diagnosis.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "logs/run_reader.h"

namespace sx {
namespace {

RunLog run_of(std::string_view text, std::string_view kernel = {}) {
  static SignatureSet set(signatures());
  RunReader reader(set);
  reader.begin_file("engine.log");
  reader.feed(text);
  reader.end_file();
  if (!kernel.empty()) {
    reader.begin_file("kernel.log");
    reader.feed(kernel);
    reader.end_file();
  }
  return reader.take();
}

std::string said(std::string_view text, std::string_view kernel = {}) {
  const RunLog run = run_of(text, kernel);
  const Diagnosis answer = diagnose(run);
  if (answer.causes.empty()) return "nothing";
  const LogPlace& at = answer.causes.front().root.place;
  return std::string(answer.causes.front().name) + " at " + std::to_string(at.file) + ":" +
         std::to_string(at.line);
}

constexpr std::string_view kOom =
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";

TEST(Diagnosis, OutOfMemoryIsToldByTheTracebackAroundIt) {
  const std::string begin =
      "Traceback (most recent call last):\n  File \"gpu_model_runner.py\", line 5, in ";
  EXPECT_EQ(said(begin + "capture_model\n" + std::string(kOom)), "oom-cudagraph at 0:3");
  EXPECT_EQ(said(begin + "_dummy_sampler_run\n" + std::string(kOom)), "oom-sampler-warmup at 0:3");
  EXPECT_EQ(said(begin + "load_weights\n" + std::string(kOom)), "oom-weights-too-big at 0:3");
  EXPECT_EQ(said(begin + "profile_run\n" + std::string(kOom)), "oom-profiling at 0:3");
}

TEST(Diagnosis, OutOfMemoryIsToldByThePhaseWhereNoTracebackTells) {
  EXPECT_EQ(said("INFO: Application startup complete.\n" + std::string(kOom)),
            "oom-serving at 0:2");
  EXPECT_EQ(said("Starting to load model x...\n" + std::string(kOom)),
            "oom-weights-too-big at 0:2");
}

// "-9" is the kernel's doing in most cases; its own count knows better.
TEST(Diagnosis, TheKernelsCountOverrulesAGuessAndConfirmsIt) {
  const std::string died = "Worker proc VllmWorker-1 died unexpectedly (exit code: -9)\n";
  const std::string shell = "[1]+  4711 Killed                  vllm serve x\n";
  const std::string ray =
      "(1) The process is killed by SIGKILL by OOM killer due to high memory usage.\n";
  const std::string alone = "Starting to load model x...\nKilled\n";
  const std::string runner = "Error: llama runner process has terminated: signal: killed\n";
  const auto cause = [](const std::string& text, std::optional<int> kills) {
    RunLog run = run_of(text);
    run.oom_kills = kills;
    const Diagnosis answer = diagnose(run);
    if (answer.causes.empty()) return std::string("nothing");
    const bool certain = answer.causes.front().certainty == Certainty::Certain;
    return std::string(answer.causes.front().name) + (certain ? " for certain" : "");
  };
  for (const std::string& text : {died, shell, ray, alone, runner}) {
    EXPECT_EQ(cause(text, {}), "host-oom-killed") << text;
    EXPECT_EQ(cause(text, 0), "process-died") << text;
    EXPECT_EQ(cause(text, 1).substr(0, 15), "host-oom-killed") << text;
  }
  // Words that only say that it died stay what they are; those that name a kill are confirmed.
  for (const std::string& text : {shell, ray, runner})
    EXPECT_EQ(cause(text, 1), "host-oom-killed for certain") << text;
  // Not every word about memory is a guess about the kernel.
  const std::string kernel = "Out of memory: Killed process 4711 (python3)\n";
  EXPECT_EQ(cause(kernel, 0), "host-oom-killed for certain");
  EXPECT_EQ(
      cause("ggml_aligned_malloc: insufficient memory (attempted to allocate 38912.00 MB)\n", 0),
      "host-oom-killed");
  // A crash of its own is one, whatever else the kernel ended.
  EXPECT_EQ(cause("Worker proc VllmWorker-1 died unexpectedly (exit code: -11)\n", 1),
            "native-crash");
  EXPECT_EQ(cause("Engine core process EngineCore_DP1 died unexpectedly.\n", 1), "host-oom-killed");
}

TEST(Diagnosis, AShellSaysThatItsChildWasKilled) {
  const std::string begin = "Loading safetensors checkpoint shards:  40% Completed | 8/20\n";
  EXPECT_EQ(said(begin + "Killed\n"), "host-oom-killed at 0:2");
  EXPECT_EQ(said("[1]+  4711 Killed                  vllm serve x\n"), "host-oom-killed at 0:1");
  // A main process that saw a child fail kills what is left, itself as well.
  EXPECT_EQ(said("Received sigquit from a child process. It usually means the child failed.\n"
                 "Killed\n"),
            "nothing");
  EXPECT_EQ(said("ValueError: something else\n" + begin + "Killed\n"), "unexplained-error at 0:1");
  EXPECT_EQ(said("task 7 Killed the queue\nKilledAll\n"), "nothing");
}

TEST(Diagnosis, WhoPassesAFailureOnTellsTheEngine) {
  EXPECT_EQ(
      run_of("RuntimeError: Engine core initialization failed. See root cause above.\n").engine,
      "vllm");
  EXPECT_EQ(run_of("Received sigquit from a child process. It usually means\n").engine, "sglang");
  const RunLog library = run_of("cuMem host allocations do not appear to be working\n");
  EXPECT_EQ(library.engine, "");
  EXPECT_FALSE(library.wrapped);
}

TEST(Diagnosis, OutOfMemoryAloneIsNotPlacedByGuess) {
  EXPECT_EQ(said(kOom), "oom-unplaced at 0:1");
}

TEST(Diagnosis, ALineIsNoEchoOfItself) {
  const std::string once(kOom);
  EXPECT_EQ(diagnose(run_of(once)).causes.front().echoes, 0U);
  EXPECT_EQ(diagnose(run_of(once + once + "Application startup\n" + once)).causes.front().echoes,
            2U);
}

TEST(Diagnosis, WrappersAndTheirEchoesAreNeverTheAnswer) {
  EXPECT_EQ(
      said(
          "(EngineCore_DP0 pid=9) ERROR 11-29 18:12:29 [core.py:1] EngineCore failed to start.\n"
          "(EngineCore_DP0 pid=9) ERROR 11-29 18:12:29 [core.py:1] ValueError: No available memory "
          "for the cache blocks. Try increasing `gpu_memory_utilization`\n"
          "(APIServer pid=7) RuntimeError: Engine core initialization failed. See root cause "
          "above. "
          "Failed core proc(s): {}\n"),
      "no-kv-blocks at 0:2");
  EXPECT_EQ(said("RuntimeError: Engine core initialization failed. See root cause above.\n"),
            "nothing");
}

TEST(Diagnosis, TheFirstOfChainedErrorsIsTheRoot) {
  EXPECT_EQ(
      said("Traceback (most recent call last):\nValueError: Unknown quantization method: x.\n\n"
           "During handling of the above exception, another exception occurred:\n\n"
           "Traceback (most recent call last):\nOSError: [Errno 98] Address already in use\n"),
      "quant-unknown at 0:2");
}

TEST(Diagnosis, TheKernelLogOutweighsWhatTheEngineFelt) {
  EXPECT_EQ(said("TimeoutError: RPC call to sample_tokens timed out.\n"),
            "specdec-async-deadlock at 0:1");
  EXPECT_EQ(
      said("TimeoutError: RPC call to sample_tokens timed out.\n",
           "[ 12.345678] NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus.\n"),
      "gpu-fallen-off-bus at 1:1");
}

TEST(Diagnosis, AStartThatFailedAndALaterOneThatServesIsOver) {
  const std::string failed =
      "INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1\nStarting to load model "
      "x...\n"
      "OSError: [Errno 98] Address already in use\n";
  const std::string served =
      "INFO 11-29 18:14:29 [api_server.py:1] vLLM API server version 0.9.1\nStarting to load model "
      "x...\n"
      "INFO:     Application startup complete.\n";
  EXPECT_EQ(said(failed), "port-in-use at 0:3");
  EXPECT_EQ(said(failed + served), "nothing");
  EXPECT_EQ(said(served + failed), "port-in-use at 0:6");
}

TEST(Diagnosis, AWaitThatSomebodyEndsWhereRanksJoinIsAHang) {
  EXPECT_EQ(said("(Worker_TP0 pid=9) INFO 11-29 18:12:29 [pynccl.py:1] vLLM is using nccl==2.21.5\n"
                 "KeyboardInterrupt\n"),
            "p2p-hang at 0:2");
  EXPECT_EQ(said("INFO 11-29 18:12:29 [pynccl.py:1] vLLM is using nccl==2.21.5\n"), "nothing");
  EXPECT_EQ(said("Starting to load model x...\nKeyboardInterrupt\n"), "start-interrupted at 0:2");
}

TEST(Diagnosis, RefusedRequestsOfAServerThatWasStoppedInPeaceAreNoFailure) {
  const std::string refused =
      "ERROR 11-29 18:12:29 [serving.py:1] Error with model message='The model `x` does not "
      "exist.'\n";
  EXPECT_EQ(said(refused), "model-name-404 at 0:1");
  EXPECT_EQ(said(refused + "INFO:     Application shutdown complete.\n"), "nothing");
}

TEST(Diagnosis, OneFailureOnManyRanksIsOne) {
  std::string text;
  for (int rank = 0; rank < 8; ++rank)
    text +=
        "(Worker_TP" + std::to_string(rank) +
        " pid=5) ERROR 11-29 18:12:29 [x.py:1] RuntimeError: CUDA error: invalid device ordinal\n";
  const Diagnosis answer = diagnose(run_of(text));
  ASSERT_EQ(answer.causes.size(), 1U);
  EXPECT_EQ(answer.causes.front().ranks.size(), 8U);
}

TEST(Diagnosis, HealthyLogsAreHealthy) {
  const Diagnosis answer =
      diagnose(run_of("INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1\n"
                      "WARNING 11-29 18:12:29 [x.py:1] Custom allreduce is disabled because your "
                      "platform lacks GPU P2P "
                      "capability\nINFO:     Application startup complete.\n"
                      "INFO:     127.0.0.1:1 - \"POST /v1/completions HTTP/1.1\" 200 OK\n"));
  EXPECT_TRUE(answer.causes.empty());
  EXPECT_TRUE(answer.healthy);
}

TEST(Diagnosis, WhatWasOnlyRemarkedInAStartThatServesIsNoCause) {
  const std::string remark =
      "WARNING 11-29 18:12:29 [x.py:1] No module named 'flash_attn', falling back\n";
  EXPECT_EQ(
      said("Starting to load model x...\n" + remark + "INFO:     Application startup complete.\n"),
      "nothing");
}

TEST(RunReader, WordsOfAnotherEngineMeanNothingWhereOneWasSaid) {
  static SignatureSet set(signatures());
  const auto read = [&](std::string_view engine) {
    RunReader reader(set);
    if (!engine.empty()) reader.assume_engine(std::string(engine));
    reader.begin_file("x");
    reader.feed(
        "INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1\n"
        "OSError: [Errno 98] Address already in use\n");
    reader.end_file();
    return reader.take();
  };
  EXPECT_EQ(read({}).engine, "vllm");
  EXPECT_EQ(read("vllm").version, "0.9.1");
  const RunLog other = read("sglang");
  EXPECT_EQ(other.engine, "sglang");
  EXPECT_TRUE(other.version.empty());
  EXPECT_EQ(other.phase, Phase::Unknown);
  EXPECT_EQ(diagnose(other).causes.size(), 1U);  // whoever says it
}

TEST(RunReader, LinesAreCountedAsEditorsCountThem) {
  EXPECT_EQ(said("a\r\nb\r\nOSError: [Errno 98] Address already in use\r\n"), "port-in-use at 0:3");
  EXPECT_EQ(said("Loading: 1%\rLoading: 2%\rOSError: [Errno 98] Address already in use\nb\n"),
            "port-in-use at 0:1");
  EXPECT_EQ(said("a\nOSError: [Errno 98] Address already in use"), "port-in-use at 0:2");
}

TEST(RunReader, AnOverlongLineIsCutAndSaid) {
  const RunLog run = run_of(std::string(300000, 'x') + " Address already in use\nb\n");
  EXPECT_TRUE(run.events.empty());
  EXPECT_EQ(run.files.front().lines, 2U);
}

// A prompt may hold any error there is; the engine's own words on the next line count.
TEST(RunReader, WhatAClientSentIsNoWordOfTheEngine) {
  const std::string words = "OSError: [Errno 98] Address already in use";
  const std::string vllm = "INFO 10-13 20:00:09 [logger.py:40] Received request cmpl-1: prompt: '";
  EXPECT_EQ(said(vllm + words + "', params: x\n"), "nothing");
  EXPECT_EQ(said("[2026-10-13 20:00:09] Finish: obj=GenerateReqInput(text='" + words + "')\n"),
            "nothing");
  EXPECT_EQ(said("srv  log_server_r: request:  {\"prompt\":\"" + words + "\"}\n"), "nothing");
  EXPECT_EQ(said(vllm + words + "', params: x\n" + words + "\n"), "port-in-use at 0:2");
}

TEST(RunReader, ColoursAndRecordsOfCollectorsAreLookedThrough) {
  EXPECT_EQ(said("\x1b[31mERROR\x1b[0m 11-29 18:12:29 [x.py:1] OSError: [Errno 98] Address already "
                 "in use\n"),
            "port-in-use at 0:1");
  EXPECT_EQ(
      said(
          R"({"log":"ValueError: Total number of attention heads (40) must be divisible by tensor parallel size (6).\n","stream":"stderr"})"
          "\n"),
      "tp-heads-indivisible at 0:1");
  EXPECT_EQ(said("2026-11-29T18:12:29.123456789Z stderr F RuntimeError: Could not find nvcc\n"),
            "jit-toolchain-missing at 0:1");
}

std::string utf16(std::string_view ascii) {
  std::string out = "\xFF\xFE";
  for (const char c : ascii) {
    out += c;
    out += '\0';
  }
  return out;
}

// `gzip -9` of "OSError: [Errno 98] Address already in use\n".
std::string packed() {
  constexpr unsigned char kBytes[] = {
      0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xF3, 0x0F, 0x76,
      0x2D, 0x2A, 0xCA, 0x2F, 0xB2, 0x52, 0x88, 0x06, 0xD2, 0x79, 0xF9, 0x0A, 0x96,
      0x16, 0xB1, 0x0A, 0x8E, 0x29, 0x29, 0x45, 0xA9, 0xC5, 0xC5, 0x0A, 0x89, 0x39,
      0x45, 0xA9, 0x89, 0x29, 0x95, 0x0A, 0x99, 0x79, 0x0A, 0xA5, 0xC5, 0xA9, 0x5C,
      0x00, 0xD3, 0x6E, 0xCE, 0x34, 0x2B, 0x00, 0x00, 0x00};
  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};
}

TEST(RunReader, LogsAreReadOutOfWhatTheyLieIn) {
  EXPECT_EQ(said(utf16("a\nOSError: [Errno 98] Address already in use\n")), "port-in-use at 0:2");
  EXPECT_EQ(said("\xEF\xBB\xBFOSError: [Errno 98] Address already in use\n"), "port-in-use at 0:1");
  EXPECT_EQ(said(packed()), "port-in-use at 0:1");
  EXPECT_EQ(said(packed() + packed()), "port-in-use at 0:1");
}

TEST(RunReader, APackedLogThatBreaksOffIsReadAsFarAsItGoesAndSaid) {
  const std::string whole = packed();
  const RunLog run = run_of(whole.substr(0, whole.size() - 9));
  EXPECT_TRUE(run.files.front().damaged);
  EXPECT_FALSE(run_of(whole).files.front().damaged);
}

}  // namespace
}  // namespace sx
