// A server with its model and nothing else, by engine.
#include "engines/plain_launch.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace sx {
namespace {

TEST(PlainLaunch, IsAsShortAsTheEngineAllows) {
  EXPECT_EQ(join(plain_launch("vllm", "Qwen/Qwen3-8B"), " "), "vllm serve Qwen/Qwen3-8B");
  EXPECT_EQ(join(plain_launch("sglang", "Qwen/Qwen3-8B"), " "),
            "python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B");
  EXPECT_EQ(join(plain_launch("llamacpp", "/models/a.gguf"), " "),
            "llama-server --model /models/a.gguf");
  EXPECT_TRUE(plain_launch("nobody", "m").empty());
}

}  // namespace
}  // namespace sx
