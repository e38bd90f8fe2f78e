// Programs that are started to stay: what they get, what they do not, and who they are.
#include "sys/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "sys/process_identity.h"

namespace sx {
namespace {

struct Ran {
  std::string out;
  int status = 0;
};

// Runs a line of sh with the descriptors and settings of `ask` and takes what it prints.
Ran run(SpawnAsk ask, const std::string& script) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  ask.words = {"/bin/sh", "-c", script};
  ask.out = ask.err = to.get();
  const auto spawned = spawn(ask);
  EXPECT_TRUE(spawned);
  to.reset();
  Ran ran;
  std::array<char, 4096> piece{};
  ssize_t count = 0;
  while ((count = ::read(from.get(), piece.data(), piece.size())) > 0)
    ran.out.append(piece.data(), static_cast<std::size_t>(count));
  if (spawned) ::waitpid(spawned->pid, &ran.status, 0);
  return ran;
}

TEST(Spawn, GetsItsEnvironmentAndNoOther) {
  ::setenv("SEXTANT_SECRET_OF_TEST", "x", 1);
  EXPECT_EQ(
      run({.words = {}, .environment = {{"A", "b c"}}}, "echo $A; echo $SEXTANT_SECRET_OF_TEST")
          .out,
      "b c\n\n");
}

TEST(Spawn, GetsItsDescriptorsAndNoOthers) {
  const UniqueFd other(::open("/dev/null", O_RDONLY));  // without close-on-exec: ours all the same
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  SpawnAsk ask{.words = {}, .environment = {{"PATH", "/usr/bin:/bin"}}};
  ask.keep = {{to.get(), 3}};
  EXPECT_EQ(run(ask, "echo told >&3; echo out").out, "out\n");
  std::array<char, 16> piece{};
  EXPECT_EQ(::read(from.get(), piece.data(), piece.size()), 5);
}

TEST(Spawn, HasASessionOfItsOwnAndPlainSignals) {
  std::signal(SIGUSR1, SIG_IGN);
  const Ran ran = run({.words = {}, .environment = {}}, "kill -USR1 $$; echo survived");
  std::signal(SIGUSR1, SIG_DFL);
  EXPECT_TRUE(WIFSIGNALED(ran.status) && WTERMSIG(ran.status) == SIGUSR1);
  const auto spawned = spawn({.words = {"/bin/sleep", "60"}, .environment = {}});
  ASSERT_TRUE(spawned);
  EXPECT_EQ(::getsid(spawned->pid), spawned->pid);
  pollfd waiting{spawned->pidfd.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 0), 0);
  ::kill(spawned->pid, SIGKILL);
  EXPECT_EQ(::poll(&waiting, 1, 5000), 1);
  ::waitpid(spawned->pid, nullptr, 0);
}

TEST(Spawn, WhatCannotBeStartedSaysWhy) {
  const auto absent = spawn({.words = {"no-such-program-here"}, .environment = {}});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, Error::Kind::Absent);
  EXPECT_FALSE(spawn({.words = {"/etc/passwd"}, .environment = {}}));
  EXPECT_FALSE(spawn({.words = {}, .environment = {}}));
  SpawnAsk nowhere{.words = {"/bin/true"}, .environment = {}};
  nowhere.folder = "/no/such/folder";
  EXPECT_FALSE(spawn(nowhere));
}

// `ulimit -n 40`.
TEST(Spawn, TooFewDescriptorsAreTheReason) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 40;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto spawned = spawn({.words = {"/bin/true"}, .environment = {}});
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(spawned);
  EXPECT_EQ(spawned.error().chinese, "无法启动 /bin/true：打开的文件过多");
}

TEST(Spawn, WhatIsHandedOnMayHaveAnyNumber) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd from(ends[0]);
  const UniqueFd to(ends[1]);
  // The numbers that /dev/null and the pipe of errors will get: the third is its writing end.
  int last = -1;
  {
    std::array<UniqueFd, 3> next;
    for (UniqueFd& one : next) one = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    last = next[2].get();
  }
  SpawnAsk nowhere{.words = {"/bin/true"}, .environment = {}};
  nowhere.folder = "/no/such/folder";
  nowhere.keep = {{to.get(), last}};
  const auto spawned = spawn(nowhere);
  EXPECT_FALSE(spawned);
  if (spawned) ::waitpid(spawned->pid, nullptr, 0);
}

TEST(Spawn, IsBoundToItsProcessors) {
  SpawnAsk ask{.words = {}, .environment = {{"PATH", "/usr/bin:/bin"}}};
  ask.cpus = {0};
  EXPECT_EQ(run(ask, "grep -c Cpus_allowed_list:.*0$ /proc/self/status").out, "1\n");
}

TEST(ProcessIdentity, IsTheSameForTheSameAndGoneWhenItHasEnded) {
  const auto spawned = spawn({.words = {"/bin/sleep", "60"}, .environment = {}});
  ASSERT_TRUE(spawned);
  const auto identity = identity_of(spawned->pid);
  ASSERT_TRUE(identity);
  EXPECT_TRUE(runs(*identity));
  EXPECT_FALSE(runs({.pid = identity->pid, .start_ticks = identity->start_ticks + 1}));
  EXPECT_FALSE(send_signal({.pid = identity->pid, .start_ticks = 1}, SIGKILL));
  EXPECT_TRUE(runs(*identity));
  EXPECT_TRUE(send_signal(*identity, SIGKILL));
  pollfd waiting{spawned->pidfd.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&waiting, 1, 5000), 1);
  EXPECT_FALSE(runs(*identity));  // a zombie runs nothing
  ::waitpid(spawned->pid, nullptr, 0);
  EXPECT_FALSE(watch(*identity).open());
}

TEST(ProcessIdentity, StartTicksOfNamesWithBlanksAndBrackets) {
  EXPECT_EQ(start_ticks_of("7 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 0"),
            4242U);
  EXPECT_EQ(start_ticks_of("7 (a) S 1 2"), std::nullopt);
  EXPECT_EQ(start_ticks_of(""), std::nullopt);
}

TEST(ProcessIdentity, ChildrenAreThoseThatRun) {
  const auto one = spawn({.words = {"/bin/sleep", "60"}, .environment = {}});
  ASSERT_TRUE(one);
  const auto identity = identity_of(one->pid);
  ASSERT_TRUE(identity);
  const auto is = [&](const ProcessIdentity& child) { return child == *identity; };
  EXPECT_TRUE(std::ranges::any_of(children_of(::getpid()), is));
  EXPECT_TRUE(children_of(one->pid).empty());
  ::kill(one->pid, SIGKILL);
  pollfd waiting{one->pidfd.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&waiting, 1, 5000), 1);
  EXPECT_TRUE(std::ranges::none_of(children_of(::getpid()), is));
  ::waitpid(one->pid, nullptr, 0);
}

TEST(ProcessIdentity, MarkedProcessesAreFoundInAnySession) {
  const auto one = spawn({.words = {"/bin/sleep", "60"}, .environment = {{"SX_TEST_MARK", "m1"}}});
  const auto two = spawn({.words = {"/bin/sleep", "60"}, .environment = {{"SX_TEST_MARK", "m12"}}});
  ASSERT_TRUE(one && two);
  const auto found = processes_marked("SX_TEST_MARK", "m1");
  EXPECT_EQ(found.size(), 1U);
  if (!found.empty()) EXPECT_EQ(found.front().pid, one->pid);
  for (const pid_t pid : {one->pid, two->pid}) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace
}  // namespace sx
