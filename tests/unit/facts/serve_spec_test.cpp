// Sizes of a launch, and the use of a flag that counts.
#include "facts/serve_spec.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

Fact<int> said(int value) { return {value, Origin::Flag}; }

ServeSpec sized(int tensor, int pipeline, int prefill, int data) {
  ServeSpec serve;
  serve.tensor_parallel = said(tensor);
  serve.pipeline_parallel = said(pipeline);
  serve.prefill_context_parallel = said(prefill);
  serve.data_parallel = said(data);
  return serve;
}

TEST(ServeSpec, WorldIsOneReplica) {
  EXPECT_EQ(sized(2, 3, 4, 5).world_size(), 24);
  EXPECT_FALSE(sized(0, 1, 1, 1).world_size().has_value());
  EXPECT_FALSE(sized(-2, -2, 1, 1).world_size().has_value());
  EXPECT_FALSE(sized(1 << 20, 1 << 20, 1 << 20, 1).world_size().has_value());
  EXPECT_FALSE(ServeSpec{}.world_size().has_value());
}

TEST(ServeSpec, GpusOfThisHost) {
  ServeSpec serve = sized(2, 1, 1, 4);
  EXPECT_EQ(serve.gpus_wanted(), 8);
  serve.data_parallel_local = said(1);
  EXPECT_EQ(serve.gpus_wanted(), 2);
  serve.node_count = said(2);
  EXPECT_EQ(serve.gpus_wanted(), 1);
  serve.node_count = said(3);
  EXPECT_FALSE(serve.gpus_wanted().has_value());
  serve.node_count = Fact<int>();
  serve.data_parallel = serve.data_parallel_local = Fact<int>();
  EXPECT_FALSE(serve.gpus_wanted().has_value());
}

TEST(ServeSpec, TheLastUseCounts) {
  ServeSpec serve;
  serve.flags = {
      {.name = "--port", .values = {"1"}}, {.name = "--host"}, {.name = "--port", .values = {"2"}}};
  ASSERT_NE(serve.use_of("--port"), nullptr);
  EXPECT_EQ(serve.use_of("--port")->values.front(), "2");
  EXPECT_EQ(serve.use_of("--uds"), nullptr);
}

TEST(Origin, WordsAreThoseOfTheMachineFormats) {
  EXPECT_EQ(word(Origin::Flag), "flag");
  EXPECT_EQ(word(Origin::Environment), "environment");
  EXPECT_EQ(word(Origin::Config), "config");
  EXPECT_EQ(word(Origin::Header), "header");
  EXPECT_EQ(word(Origin::Device), "device");
  EXPECT_EQ(word(Origin::Measured), "measured");
  EXPECT_EQ(word(Origin::Default), "default");
  EXPECT_EQ(word(Origin::Formula), "formula");
  EXPECT_EQ(word(Origin::Assumed), "assumed");
}

}  // namespace
}  // namespace sx
