// What engines and versions make of a config with YaRN where the command names no length.
#include "engines/context_limit.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

// A model card's own advice: the original length stays in max_position_embeddings.
ModelSpec stretched() {
  ModelSpec model;
  model.config_positions = {32768, Origin::Config};
  model.max_positions = {Tokens{131072}, Origin::Config};
  model.rope = {RopeScaling{.type = "yarn", .factor = 4.0, .original_positions = 32768},
                Origin::Config};
  return model;
}

std::int64_t own(std::string_view engine, std::string_view version, const ModelSpec& model) {
  ServeSpec serve;
  serve.engine = engine;
  serve.version = *parse_version(version);
  return own_context(serve, model);
}

TEST(ContextLimit, VllmMultipliedByTheFactorOnce) {
  EXPECT_EQ(own("vllm", "0.10.2", stretched()), 131072);
  EXPECT_EQ(own("vllm", "0.29.0", stretched()), 131072);
  EXPECT_EQ(own("vllm", "0.31.0", stretched()), 32768);
  EXPECT_EQ(own("vllm", "0.33.0", stretched()), 32768);
}

TEST(ContextLimit, BetweenTwoVersionsThatDifferBothArePossible) {
  ServeSpec serve;
  serve.engine = "vllm";
  serve.version = {0, 30, 0};
  const auto limit = context_limit(serve, stretched());
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->least, 32768);
  EXPECT_EQ(limit->most, 131072);
}

TEST(ContextLimit, SglangMultipliesOnlyWhereTheOriginalLengthIsNotWritten) {
  EXPECT_EQ(own("sglang", "0.5.10", stretched()), 32768);
  ModelSpec bare = stretched();
  bare.rope = {RopeScaling{.type = "yarn", .factor = 4.0, .original_positions = {}},
               Origin::Config};
  EXPECT_EQ(own("sglang", "0.5.10", bare), 131072);
}

TEST(ContextLimit, OtherScalingIsTheSameForAll) {
  ModelSpec linear = stretched();
  linear.rope = {RopeScaling{.type = "linear", .factor = 4.0, .original_positions = {}},
                 Origin::Config};
  for (const std::string_view engine : {"vllm", "sglang"})
    EXPECT_EQ(own(engine, engine == "vllm" ? "0.33.0" : "0.5.23", linear), 131072) << engine;
}

TEST(ContextLimit, WhatTheCommandOverridesTakesTheConfigsPlace) {
  ModelSpec plain;
  plain.config_positions = {40960, Origin::Config};
  plain.max_positions = {Tokens{40960}, Origin::Config};
  ServeSpec serve;
  serve.engine = "vllm";
  serve.version = {0, 33, 0};
  const auto own_with = [&](std::string_view overrides) {
    serve.hf_overrides = {std::string(overrides), Origin::Flag};
    return own_context(serve, plain);
  };
  const std::string yarn =
      R"("rope_parameters": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768})";
  EXPECT_EQ(own_with("{" + yarn + "}"), 40960);
  EXPECT_EQ(own_with("{" + yarn + R"(, "max_position_embeddings": 131072})"), 131072);
  EXPECT_EQ(own_with(R"({"max_position_embeddings": 8192})"), 8192);
  EXPECT_EQ(own_with(R"({"num_hidden_layers": 2})"), 40960);
  EXPECT_EQ(own_with("not json"), 40960);
  serve.version = {0, 12, 0};
  EXPECT_EQ(own_with("{" + yarn + "}"), 131072);
}

TEST(ContextLimit, AnUnknownLimitIsNotZero) {
  const ModelSpec unknown;
  EXPECT_FALSE(context_limit({}, unknown));
  EXPECT_GT(own("vllm", "0.33.0", unknown), 0);
}

}  // namespace
}  // namespace sx
