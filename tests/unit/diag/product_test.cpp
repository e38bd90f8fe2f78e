// The product's own example, word for word.
#include <gtest/gtest.h>

#include "diag/render.h"
#include "examples.h"

namespace sx::examples {
namespace {

TEST(ProductExample, InEnglishWhereTheLabelHasRoom) {
  Sources sources;
  const Diagnostic d = product(sources);
  EXPECT_EQ(render_text(d, sources, {.width = 130}),
            R"(error[SX2103]: 64 attention heads cannot be split over 6 GPUs
 --> command line
  |
  | vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 6
  |                                      ^^^^^^^^^^^^^^^^^^^^^^^^ 64 / 6 leaves 4 over; so do the KV heads: 8 / 6 leaves 2
  = basis     64 heads, 8 KV heads: built-in catalogue
  = because   each tensor-parallel rank must get the same whole number of heads
  = otherwise the engine exits during start-up, before it loads any weights
fix: two GPUs a stage, three stages (fits: 220 864 tokens of KV cache)
    vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 2 --pipeline-parallel-size 3
explain: sextant explain SX2103
)");
}

TEST(ProductExample, InEnglishOnAHundredColumns) {
  Sources sources;
  const Diagnostic d = product(sources);
  EXPECT_EQ(render_text(d, sources, {.width = 100}),
            R"(error[SX2103]: 64 attention heads cannot be split over 6 GPUs
 --> command line
  |
  | vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 6
  |                                      ^^^^^^^^^^^^^^^^^^^^^^^^ 64 / 6 leaves 4 over; so do the KV
  |                                                               heads: 8 / 6 leaves 2
  = basis     64 heads, 8 KV heads: built-in catalogue
  = because   each tensor-parallel rank must get the same whole number of heads
  = otherwise the engine exits during start-up, before it loads any weights
fix: two GPUs a stage, three stages (fits: 220 864 tokens of KV cache)
    vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 2 --pipeline-parallel-size 3
explain: sextant explain SX2103
)");
}

TEST(ProductExample, InChineseOnAHundredColumns) {
  Sources sources;
  const Diagnostic d = product(sources);
  EXPECT_EQ(render_text(d, sources, {.language = Language::Chinese, .width = 100}),
            R"(错误[SX2103]: 64 个注意力头无法平均分到 6 张 GPU
 --> 命令行
  |
  | vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 6
  |                                      ^^^^^^^^^^^^^^^^^^^^^^^^ 64 / 6 余 4；KV 头同样：8 / 6 余 2
  = 依据 64 个注意力头、8 个 KV 头：内置数据
  = 原因 每个张量并行 rank 必须分到同样多的、整数个注意力头
  = 后果 引擎会在启动阶段退出，此时尚未加载权重
修复: 每级 2 张 GPU，共 3 级（可放下 220 864 个 token 的 KV 缓存）
    vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 2 --pipeline-parallel-size 3
详解: sextant explain SX2103
)");
}

TEST(ProductExample, OnSixtyColumnsTheCommandIsLaidOutOneFlagARow) {
  Sources sources;
  const Diagnostic d = product(sources);
  EXPECT_EQ(render_text(d, sources, {.width = 60}),
            R"(error[SX2103]: 64 attention heads cannot be split over 6
               GPUs
 --> command line
  |
  | vllm serve Qwen/Qwen2.5-72B-Instruct
  |   --tensor-parallel-size 6
  |   ^^^^^^^^^^^^^^^^^^^^^^^^ 64 / 6 leaves 4 over; so do
  |                            the KV heads: 8 / 6 leaves 2
  = basis     64 heads, 8 KV heads: built-in catalogue
  = because   each tensor-parallel rank must get the same
              whole number of heads
  = otherwise the engine exits during start-up, before it
              loads any weights
fix: two GPUs a stage, three stages (fits: 220 864 tokens of
     KV cache)
    vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 2 --pipeline-parallel-size 3
explain: sextant explain SX2103
)");
}

TEST(ProductExample, WithASecondPlaceInAFile) {
  Sources sources;
  const int command =
      command_line(sources, "vllm serve models/通义千问-7B --tensor-parallel-size 8");
  const int config = file(sources, "config.json", "{\n  \"num_attention_heads\": 28,\n}\n");
  Diagnostic d;
  d.code = "SX2103";
  d.title = {kHeads, {{"heads", 28}, {"tp", 8}}};
  d.labels = {{span_of(sources, command, "--tensor-parallel-size 8"),
               {kLeaves, {{"heads", 28}, {"tp", 8}, {"left", 4}}},
               true},
              {span_of(sources, config, "\"num_attention_heads\": 28"), {}, false}};
  d.because = kBecause;
  d.otherwise = kOtherwise;
  EXPECT_EQ(render_text(d, sources, {.language = Language::Chinese}),
            R"(错误[SX2103]: 28 个注意力头无法平均分到 8 张 GPU
 --> 命令行
  |
  | vllm serve models/通义千问-7B --tensor-parallel-size 8
  |                               ^^^^^^^^^^^^^^^^^^^^^^^^ 28 / 8 余 4
 ::: config.json:2
  |
2 |   "num_attention_heads": 28,
  |   -------------------------
  |
  = 原因 每个张量并行 rank 必须分到同样多的、整数个注意力头
  = 后果 引擎会在启动阶段退出，此时尚未加载权重
详解: sextant explain SX2103
)");
}

}  // namespace
}  // namespace sx::examples
