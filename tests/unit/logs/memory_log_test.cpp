// Memory lines of the engines, version by version, and the launch that a log echoes.
#include "logs/memory_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/strings.h"
#include "knowledge/memory_lines.h"
#include "logs/launch_words.h"

namespace sx {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

double value_of(const MemoryLog& log, std::string_view name) {
  const MemoryReading* reading = find_reading(log, name);
  return reading == nullptr ? -1 : reading->value;
}

struct Line {
  const char* text;
  const char* name;
  double value;
};

class VllmLine : public testing::TestWithParam<Line> {};
TEST_P(VllmLine, IsRead) {
  const MemoryLog log = read_memory_log({GetParam().text});
  EXPECT_EQ(log.engine, "vllm");
  EXPECT_DOUBLE_EQ(value_of(log, GetParam().name), GetParam().value) << GetParam().text;
}
INSTANTIATE_TEST_SUITE_P(
    Versions, VllmLine,
    testing::Values(
        Line{"INFO 01-01 model_runner.py:1] Loading model weights took 19.5904 GB", "weights",
             19.5904 * kGib},
        Line{"Model loading took 0.7110 GiB and 1.033386 seconds", "weights", 0.7110 * kGib},
        Line{"Model loading took 13.72 GiB memory and 62.336108 seconds", "weights", 13.72 * kGib},
        Line{"Available KV cache memory: -2.14 GiB", "kv", -2.14 * kGib},
        Line{"GPU KV cache size: 1,823,372 tokens", "kv_tokens", 1823372},
        Line{
            "GPU KV cache size: 220,864 tokens, Maximum concurrency for 32,768 tokens per request: "
            "6.74x",
            "concurrency", 6.74},
        Line{"Graph capturing finished in 7 secs, took 0.43 GiB", "graphs", 0.43 * kGib},
        Line{"CUDA graph pool memory: 2.23 GiB (actual), 6.84 GiB (estimated), difference",
             "graphs_estimate", 6.84 * kGib},
        Line{"Free memory on device cuda:0 (78.5/79.1 GiB) on startup. Desired GPU memory "
             "utilization "
             "is (0.9, 71.2 GiB). Actual usage is 14.99 GiB for weight, 1.20 GiB for peak "
             "activation, "
             "-0.42 GiB for non-torch memory, and 0.55 GiB for CUDAGraph memory.",
             "non_torch", -0.42 * kGib},
        Line{
            "Actual usage is 15.5 GiB for consumed memory (weights + non-torch), 1.25 GiB for peak "
            "activation, and 0.5 GiB for CUDAGraph memory",
            "activations", 1.25 * kGib}));

TEST(MemoryLog, TheOldBlockIsReadWhole) {
  const MemoryLog log = read_memory_log(
      {"INFO worker.py:241] the current vLLM instance can use total_gpu_memory (23.58GiB) x "
       "gpu_memory_utilization (0.99) = 23.35GiB\n"
       "INFO worker.py:241] model weights take 14.96GiB; non_torch_memory takes 1.79GiB; PyTorch "
       "activation peak memory takes 1.26GiB; the rest of the memory reserved for KV Cache is "
       "53.29GiB.\n"});
  EXPECT_DOUBLE_EQ(value_of(log, "weights"), 14.96 * kGib);
  EXPECT_DOUBLE_EQ(value_of(log, "activations"), 1.26 * kGib);
  EXPECT_DOUBLE_EQ(value_of(log, "kv"), 53.29 * kGib);
  EXPECT_DOUBLE_EQ(value_of(log, "fraction"), 0.99);
}

TEST(MemoryLog, RanksAreToldApart) {
  const MemoryLog log =
      read_memory_log({"(Worker_PP1_TP0 pid=8) INFO x] Available KV cache memory: 1.00 GiB\n"
                       "(VllmWorker rank=3 pid=9) INFO x] Available KV cache memory: 2.00 GiB\r\n"
                       "\x1b[1m(Worker_DP1_TP2\n"});
  ASSERT_EQ(log.readings.size(), 2U);
  EXPECT_EQ(log.readings[0].process.pipeline, 1);
  EXPECT_EQ(log.readings[0].process.tensor, 0);
  EXPECT_EQ(log.readings[1].process.rank, 3);
  EXPECT_EQ(log.readings[1].line, 2U);
}

TEST(MemoryLog, SglangPoolsAddUp) {
  const MemoryLog log = read_memory_log(
      {"[2025-11-30 10:00:00 TP1] Load weight end. type=X, avail mem=36.93 GB, mem usage=57.06 "
       "GB.\n"
       "[2025-11-30 10:00:01 TP1] Load weight end. type=Draft, avail mem=36.0 GB, mem usage=0.9 "
       "GB.\n"
       "[2025-11-30 10:00:02 TP1] KV Cache is allocated. #tokens: 8050, KV size: 0.50 GB\n"
       "[2025-11-30 10:00:02 TP1] SWA KV Cache is allocated. #tokens: 80, KV size: 0.25 GB\n"
       "[2025-11-30 10:00:03 TP1] max_total_num_tokens=8050, chunked_prefill_size=8192, "
       "max_prefill_tokens=16384, max_running_requests=64, context_len=4096\n"});
  EXPECT_EQ(log.engine, "sglang");
  EXPECT_DOUBLE_EQ(value_of(log, "weights"), 57.06 * kGib);
  EXPECT_DOUBLE_EQ(value_of(log, "kv"), 0.75 * kGib);
  EXPECT_DOUBLE_EQ(value_of(log, "kv_tokens"), 8050);
  EXPECT_EQ(log.readings.front().process.tensor, 1);
}

TEST(MemoryLog, LlamaDevicesAddUpWithinOneStart) {
  const std::string start =
      "load_tensors:   CPU_Mapped model buffer size =   100.00 MiB\n"
      "load_tensors:        CUDA0 model buffer size =  3850.00 MiB\n"
      "llama_kv_cache:      CUDA0 KV buffer size =   512.00 MiB\n"
      "llama_kv_cache:      CUDA0 KV buffer size =    64.00 MiB\n";
  const MemoryLog log = read_memory_log({start + start});
  EXPECT_EQ(log.engine, "llamacpp");
  EXPECT_DOUBLE_EQ(value_of(log, "kv"), 576.0 * 1024 * 1024);
  ASSERT_EQ(log.readings.size(), 3U);
  EXPECT_EQ(log.readings[1].device, "CUDA0");
}

TEST(MemoryLog, TheLastStartCounts) {
  const std::string start = "non-default args: {'model_tag': 'a/b', 'max_model_len': 1024}\n";
  const MemoryLog log = read_memory_log(
      {start + "Available KV cache memory: 1.0 GiB\n" + start + "Model loading took 2.0 GiB\n"});
  EXPECT_EQ(log.starts, 2);
  EXPECT_EQ(find_reading(log, "kv"), nullptr);
  EXPECT_NE(find_reading(log, "weights"), nullptr);
}

TEST(MemoryLog, TheLaunchIsWordsAgain) {
  const MemoryLog log = read_memory_log(
      {"non-default args: {'model_tag': 'a/b', 'model': 'a/b', 'api_key': ['sk-1'], "
       "'enforce_eager': True, 'served_model_name': ['x', 'y'], 'gpu_memory_utilization': 0.8, "
       "'enable_prefix_caching': False, 'no_such_flag': 3}\n"});
  const LaunchWords launch = launch_words(log);
  EXPECT_EQ(join(launch.words, " "),
            "vllm serve a/b --enforce-eager --served-model-name x y --gpu-memory-utilization 0.8 "
            "--no-enable-prefix-caching");
  EXPECT_EQ(launch.left_out, std::vector<std::string>{"no_such_flag"});
}

TEST(MemoryLog, DefaultsOfAWholeEchoAreLeftAway) {
  const MemoryLog log =
      read_memory_log({"[t] server_args=ServerArgs(model_path='a/b', port=30000, tp_size=2, "
                       "skip_tokenizer_init=False,"
                       " mem_fraction_static=0.85, context_length=None)\n"
                       "[t TP0] Load weight end. type=X, avail mem=1 GB, mem usage=5.0 GB.\n"});
  const LaunchWords launch = launch_words(log);
  EXPECT_EQ(join(launch.words, " "),
            "python3 -m sglang.launch_server --model-path a/b --tp-size 2 "
            "--mem-fraction-static 0.85");
}

TEST(MemoryLog, LinesAreCountedThroughWhatIsPassedOver) {
  const std::string loaded = "Model loading took 13.72 GiB memory and 62.3 seconds";
  const std::string graphs = "Graph capturing finished in 7 secs, took 0.43 GiB";
  for (const std::string_view other : {"\n", "\r\n", "x\n", "INFO nothing of interest\n"}) {
    for (const std::size_t many :
         {std::size_t{0}, std::size_t{1}, std::size_t{6}, std::size_t{999}}) {
      std::string text;
      for (std::size_t i = 0; i < many; ++i) text += other;
      text += loaded + "\n" + std::string(other) + graphs;
      const MemoryLog log = read_memory_log({text});
      ASSERT_EQ(log.readings.size(), 2U) << text.substr(0, 80);
      EXPECT_EQ(log.readings[0].line, many + 1);
      EXPECT_EQ(log.readings[1].line, many + 3);
      EXPECT_EQ(log.lines, many + 3);
    }
  }
}

TEST(MemoryLog, NothingIsNothing) {
  const MemoryLog log = read_memory_log({"hello\nworld", ""});
  EXPECT_TRUE(log.engine.empty());
  EXPECT_EQ(log.lines, 3U);
}

TEST(MemoryLines, EveryPatternBeginsWithSomethingToFind) {
  for (const std::string_view engine : {"vllm", "sglang", "llamacpp"}) {
    EXPECT_FALSE(memory_lines(engine).empty());
    for (const MemoryLineRow& row : memory_lines(engine)) {
      const auto literal = std::ranges::find(row.pieces, MemoryLineRow::Piece::Kind::Literal,
                                             &MemoryLineRow::Piece::kind);
      ASSERT_NE(literal, row.pieces.end()) << row.pattern;
      EXPECT_GE(literal->text.size(), 6U) << row.pattern;
      EXPECT_TRUE(row.combine == "last" || row.combine == "first" || row.combine == "sum");
    }
  }
}

// Where the pieces end changes nothing, whatever the length of the lines.
TEST(MemoryLogReader, PiecesOfAnyLengthTellTheSame) {
  const std::string long_line(300'000, 'x');
  const std::string text =
      "INFO server_args=ServerArgs(model_path='a/b', tp_size=2)\n" + long_line +
      " Available KV cache memory: 9.00 GiB\r\n\n[2025-11-30 10:00:00 TP1] KV Cache is allocated. "
      "#tokens: 17, K size: 1.00 GB, V size: 1.50 GB\n(Worker_TP1 pid=8) Available KV cache "
      "memory: "
      "1.00 GiB\nModel loading took 0.7110 GiB and 1.033386 seconds";
  const MemoryLog whole = read_memory_log({text, text});
  EXPECT_EQ(whole.lines, 12U);
  ASSERT_FALSE(whole.readings.empty());
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, text.size()}) {
    MemoryLogReader reader;
    for (int file = 0; file < 2; ++file) {
      for (std::size_t at = 0; at < text.size(); at += size)
        reader.feed(std::string_view(text).substr(at, size));
      reader.end_file();
    }
    const MemoryLog log = reader.log();
    EXPECT_EQ(log.lines, whole.lines) << size;
    EXPECT_EQ(log.engine, whole.engine) << size;
    ASSERT_EQ(log.readings.size(), whole.readings.size()) << size;
    for (std::size_t i = 0; i < log.readings.size(); ++i) {
      EXPECT_EQ(log.readings[i].name, whole.readings[i].name) << size;
      EXPECT_EQ(log.readings[i].value, whole.readings[i].value) << size;
      EXPECT_EQ(log.readings[i].line, whole.readings[i].line) << size;
      EXPECT_EQ(log.readings[i].file, whole.readings[i].file) << size;
      EXPECT_EQ(log.readings[i].text, whole.readings[i].text) << size;
    }
  }
}

}  // namespace
}  // namespace sx
