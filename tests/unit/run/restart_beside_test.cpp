// Which replicas can be restarted without a gap, and as what.
#include "run/restart_beside.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sx {
namespace {

EngineLaunch a_launch(int port) {
  EngineLaunch launch{.engine = "llamacpp"};
  launch.words = {"llama-server",      "-m", "m", "-c", std::to_string(port), "--port",
                  std::to_string(port)};
  launch.port = port;
  return launch;
}

Deployment two_layouts() {
  Deployment deployment{.name = "test"};
  deployment.layouts.push_back(
      {.label = "two", .replicas = {a_launch(20001), a_launch(20002)}, .proves = ""});
  deployment.layouts.push_back({.label = "one", .replicas = {a_launch(20001)}, .proves = ""});
  return deployment;
}

std::string refused(const EngineLaunch& launch, bool gpus, std::optional<Bytes> holds,
                    std::optional<Bytes> room) {
  Deployment deployment = two_layouts();
  deployment.layouts.front().replicas.front() = launch;
  const auto made = with_one_beside({.deployment = deployment,
                                     .launch = launch,
                                     .gpus_here = gpus,
                                     .holds = holds,
                                     .room = room,
                                     .first_port = 20001});
  if (made) return "";
  EXPECT_NE(made.error().chinese, made.error().what);
  return made.error().what;
}

TEST(RestartBeside, ItIsTheSameLaunchAtAnotherPortInAllLayouts) {
  const Deployment deployment = two_layouts();
  const auto made = with_one_beside({.deployment = deployment,
                                     .launch = deployment.layouts[0].replicas[0],
                                     .holds = mib(100),
                                     .room = mib(200),
                                     .first_port = 20001});
  ASSERT_TRUE(made) << made.error().what;
  const EngineLaunch& launch = made->layouts[0].replicas[0];
  EXPECT_NE(launch.port, 20001);
  EXPECT_NE(launch.port, 20002);
  EXPECT_EQ(launch.words[4], "20001");  // a number of its own that happens to be the same
  EXPECT_EQ(launch.words[6], std::to_string(launch.port));
  EXPECT_EQ(made->layouts[1].replicas[0], launch);
  EXPECT_EQ(made->layouts[0].replicas[1], deployment.layouts[0].replicas[1]);
}

TEST(RestartBeside, WhatIsSharedHasToBeGivenUpFirst) {
  EngineLaunch cards = a_launch(20001);
  cards.gpus = {0};
  EXPECT_EQ(refused(cards, true, mib(1), gib(1)), "the new one needs its GPUs");
  EngineLaunch named = a_launch(20001);
  named.environment["CUDA_VISIBLE_DEVICES"] = "0";
  EXPECT_EQ(refused(named, true, mib(1), gib(1)), "the new one needs its GPUs");
  EXPECT_EQ(refused(a_launch(20001), true, mib(1), gib(1)), "which GPUs it takes is not known");
  EngineLaunch boxed = a_launch(20001);
  boxed.container = "docker";
  EXPECT_NE(refused(boxed, false, mib(1), gib(1)), "");
  EngineLaunch script = a_launch(20001);
  script.words = {"serve.sh"};
  EXPECT_EQ(refused(script, false, mib(1), gib(1)), "its command names no port");
}

TEST(RestartBeside, MemoryMustBeKnownAndEnough) {
  EXPECT_EQ(refused(a_launch(20001), false, gib(4), gib(4)),
            "it holds 4.0 GiB of memory, and 4.0 GiB are free");
  EXPECT_EQ(refused(a_launch(20001), false, gib(4), gib(5)), "");
  EXPECT_NE(refused(a_launch(20001), false, {}, gib(5)), "");
  EXPECT_NE(refused(a_launch(20001), false, gib(4), {}), "");
}

}  // namespace
}  // namespace sx
