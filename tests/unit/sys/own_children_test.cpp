// A child that we made is no stranger; one that came home to us is, and is collected at its end.
#include "sys/own_children.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "sys/child_program.h"
#include "sys/spawn.h"

namespace sx {
namespace {

class Adopting : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }
  void TearDown() override {
    for (const ProcessIdentity& stranger : strange_children()) send_signal(stranger, SIGKILL);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
  static std::vector<ProcessIdentity> wait_for_strangers(std::size_t count) {
    for (int i = 0; i < 500 && strange_children().size() != count; ++i) ::usleep(10'000);
    return strange_children();
  }
};

TEST_F(Adopting, WhatAChildOfOursLeavesComesHomeAndIsAStranger) {
  const auto own = spawn({.words = {"/bin/sleep", "60"}, .environment = {}});
  ASSERT_TRUE(own);
  EXPECT_TRUE(strange_children().empty());
  const auto answer =
      run_child_program({.words = {"sh", "-c", "setsid sleep 61 >&- 2>&- & echo x"}});
  ASSERT_TRUE(answer);
  const auto strangers = wait_for_strangers(1);
  ASSERT_EQ(strangers.size(), 1U);
  EXPECT_NE(strangers.front().pid, own->pid);
  send_signal(strangers.front(), SIGKILL);
  EXPECT_TRUE(wait_for_strangers(0).empty());
  // Nothing waits to be collected any more but what is ours.
  siginfo_t ended{};
  EXPECT_EQ(::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
  EXPECT_EQ(ended.si_pid, 0);
  ::kill(own->pid, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(own->pid, &status, 0), own->pid);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST_F(Adopting, DescendantsAreFoundThroughTheirParents) {
  SpawnAsk ask{.words = {"/bin/sh", "-c", "sh -c 'sleep 62; :' ; :"}};
  ask.environment = {{"PATH", "/usr/bin:/bin"}};
  const auto spawned = spawn(ask);
  ASSERT_TRUE(spawned);
  const auto root = identity_of(spawned->pid);
  ASSERT_TRUE(root);
  for (int i = 0; i < 500 && descendants_of({*root}).size() < 3; ++i) ::usleep(10'000);
  const auto family = descendants_of({*root});
  EXPECT_EQ(family.size(), 3U);
  EXPECT_EQ(family.front(), *root);
  // One of that number that began at another time is another one.
  EXPECT_TRUE(descendants_of({{.pid = root->pid, .start_ticks = root->start_ticks + 1}}).empty());
  const auto of_us = descendants_of({*identity_of(::getpid())});
  for (const ProcessIdentity& process : family)
    EXPECT_EQ(std::ranges::count(of_us, process), 1) << process.pid;
  for (const ProcessIdentity& process : family) send_signal(process, SIGKILL);
  ::waitpid(spawned->pid, nullptr, 0);
  EXPECT_TRUE(wait_for_strangers(0).empty());
}

}  // namespace
}  // namespace sx
