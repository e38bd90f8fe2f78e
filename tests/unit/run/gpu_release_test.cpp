// What a GPU still holds, against what it held before.
#include "run/gpu_release.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

GpuUse use(int gpu, std::optional<Bytes> used, std::vector<GpuHolder> holders = {}) {
  return {.gpu = gpu, .used = used, .holders = std::move(holders)};
}

TEST(GpuRelease, WhatTheMachineSaysIsRead) {
  const auto uses =
      read_gpu_use(R"({"gpu_count":2,"gpus":[{"index":0,"used_bytes":1048576,"state":{"processes":)"
                   R"([{"pid":7,"name":"python3","memory_bytes":5},{"pid":8,"name":null}]}},)"
                   R"({"index":1,"used_bytes":null}]})");
  ASSERT_TRUE(uses);
  EXPECT_EQ(*uses, (std::vector<GpuUse>{use(0, mib(1), {{7, "python3"}, {8, ""}}), use(1, {})}));
  EXPECT_EQ(read_gpu_use(R"({"gpu_count":0,"gpus":[]})"), (std::vector<GpuUse>{}));
}

TEST(GpuRelease, AMachineThatDoesNotKnowItsGpusIsNoAnswer) {
  for (const char* text : {"", "[]", "{}", R"({"gpu_count":null,"gpus":[]})",
                           R"({"gpu_count":1,"gpus":[7]})", R"({"gpu_count":1,"gpus":[{}]})"})
    EXPECT_FALSE(read_gpu_use(text)) << text;
}

TEST(GpuRelease, MoreThanBeforeIsHeldAndALittleIsNot) {
  const std::vector<GpuUse> before{use(0, mib(400)), use(1, mib(400)), use(2, mib(400))};
  const std::vector<GpuUse> now{use(0, mib(600)), use(1, mib(30'000), {{7, "python3"}}),
                                use(2, mib(30'000))};
  const StillHeld held = still_held(before, now, {0, 1});
  ASSERT_EQ(held.gpus.size(), 1U);  // the third one is none of ours
  EXPECT_EQ(held.gpus[0].gpu, 1);
  EXPECT_EQ(held.gpus[0].holders.at(0).pid, 7);
  EXPECT_FALSE(held.unknown);
}

TEST(GpuRelease, UnknownIsNeitherFreeNorHeld) {
  const std::vector<GpuUse> known{use(0, mib(400))}, silent{use(0, {})};
  EXPECT_TRUE(still_held(silent, known, {0}).unknown);
  EXPECT_TRUE(still_held(known, silent, {0}).unknown);
  EXPECT_TRUE(still_held(known, known, {5}).unknown);
  EXPECT_TRUE(still_held(silent, known, {0}).gpus.empty());
}

TEST(GpuRelease, WithoutGpusThereIsNothingToWaitFor) {
  const auto nothing = wait_for_gpus({.program = "/nonexistent", .gpus = {}, .before = {}});
  EXPECT_TRUE(nothing.held.empty() && nothing.unknown.empty());
  const auto told = wait_for_gpus({.program = "/nonexistent", .gpus = {0}, .before = {}});
  EXPECT_TRUE(told.held.empty());
  EXPECT_NE(told.unknown.english.find("GPU 0 is free again is not known"), std::string::npos);
}

}  // namespace
}  // namespace sx
