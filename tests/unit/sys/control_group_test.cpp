// Where control groups are found, what is refused, and one for real where this machine lets us make
// it; a folder stands in for the files of the kernel elsewhere.
#include "sys/control_group.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sys/files.h"
#include "sys/spawn.h"

namespace sx {
namespace {

constexpr std::string_view kMounts =
    "31 20 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n";

TEST(OwnGroupFolder, IsOursBelowTheMount) {
  EXPECT_EQ(own_group_folder("4:memory:/x\n0::/user.slice/run-7.scope\n", kMounts),
            "/sys/fs/cgroup/unified/user.slice/run-7.scope");
  EXPECT_EQ(own_group_folder("0::/\n", kMounts), "/sys/fs/cgroup/unified");
  // A container sees its own part of the hierarchy mounted.
  EXPECT_EQ(own_group_folder("0::/docker/ab/c\n",
                             "41 31 0:38 /docker/ab /sys/fs/cgroup rw - cgroup2 cgroup rw\n"),
            "/sys/fs/cgroup/c");
  EXPECT_EQ(own_group_folder("0::/docker/abc\n",
                             "41 31 0:38 /docker/ab /sys/fs/cgroup rw - cgroup2 cgroup rw\n"),
            "");
  EXPECT_EQ(own_group_folder("4:memory:/x\n", kMounts), "");
  EXPECT_EQ(own_group_folder("0::/a\n", "31 20 0:30 / /x rw - cgroup cgroup rw\n- cgroup2 \n"), "");
}

class StandIn : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sextant-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    home_ = name;
    group_ = group_of(home_, "m");
    ASSERT_TRUE(make_group(group_));
  }
  void TearDown() override { std::filesystem::remove_all(home_); }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  std::string home_, group_;
};

TEST_F(StandIn, OnlyFoldersOfOurNameAreTouched) {
  EXPECT_FALSE(make_group(home_ + "/other"));
  const std::string other = home_ + "/other";
  std::filesystem::create_directory(other);
  write(other + "/cgroup.kill", "");
  EXPECT_FALSE(kill_group(other));
  remove_group(other);
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_EQ(real_files().read(other + "/cgroup.kill", mib(1)).value(), "");
  EXPECT_FALSE(kill_group(""));
  EXPECT_FALSE(group_door(home_ + "/none").open());
}

TEST_F(StandIn, AllOfItIsEndedByOneWord) {
  write(group_ + "/cgroup.kill", "");
  EXPECT_TRUE(kill_group(group_));
  EXPECT_EQ(real_files().read(group_ + "/cgroup.kill", mib(1)).value(), "1");
}

TEST_F(StandIn, WithoutThatWordOneAfterAnother) {
  const auto spawned = spawn({.words = {"/bin/sleep", "60"}, .environment = {}});
  ASSERT_TRUE(spawned);
  write(group_ + "/cgroup.procs", std::to_string(spawned->pid) + "\nx\n-1\n99999999\n");
  ASSERT_EQ(group_members(group_).size(), 1U);
  EXPECT_TRUE(kill_group(group_));
  int status = 0;
  ::waitpid(spawned->pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(group_members(group_).empty());
}

TEST_F(StandIn, TheKernelsCountIsThatOfTheGroupOrOfTheNearestAbove) {
  EXPECT_FALSE(group_oom_kills(group_));
  write(home_ + "/cgroup.procs", "");
  write(home_ + "/memory.events", "low 0\noom 3\noom_kill 2\noom_group_kill 0\n");
  ASSERT_TRUE(group_oom_kills(group_));
  EXPECT_EQ(group_oom_kills(group_)->count, 2);
  EXPECT_FALSE(group_oom_kills(group_)->own);
  write(group_ + "/memory.events", "low 0\noom_kill 7\n");
  ASSERT_TRUE(group_oom_kills(group_));
  EXPECT_EQ(group_oom_kills(group_)->count, 7);
  EXPECT_TRUE(group_oom_kills(group_)->own);
  write(group_ + "/memory.events", "oom_kill x\n");
  EXPECT_FALSE(group_oom_kills(group_));
}

TEST(ControlGroup, HoldsWhatRunsAwayWhereOneMayBeMade) {
  const auto home = group_home();
  if (!home) {
    EXPECT_FALSE(home.error().what.empty());
    EXPECT_FALSE(home.error().chinese.empty());
    GTEST_SKIP() << home.error().what;
  }
  const std::string group = group_of(*home, "test-" + std::to_string(::getpid()));
  ASSERT_TRUE(make_group(group));
  UniqueFd door = group_door(group);
  ASSERT_TRUE(door.open());
  SpawnAsk ask{.words = {"/bin/sh", "-c", "(env -i setsid sleep 60 &) ; exec sleep 60"}};
  ask.environment = {{"PATH", "/usr/bin:/bin"}};
  ask.group = door.get();
  const auto spawned = spawn(ask);
  ASSERT_TRUE(spawned);
  for (int i = 0; i < 500 && group_members(group).size() < 2; ++i) ::usleep(10'000);
  const auto members = group_members(group);
  EXPECT_EQ(std::ranges::count(members, spawned->pid, &ProcessIdentity::pid), 1);
  EXPECT_GE(members.size(), 2U);
  EXPECT_TRUE(kill_group(group));
  ::waitpid(spawned->pid, nullptr, 0);
  for (int i = 0; i < 500 && !group_members(group).empty(); ++i) ::usleep(10'000);
  EXPECT_TRUE(group_members(group).empty());
  for (const ProcessIdentity& process : members) EXPECT_FALSE(runs(process)) << process.pid;
  for (int i = 0; i < 100 && std::filesystem::exists(group); ++i) {
    remove_group(group);
    ::usleep(10'000);
  }
  EXPECT_FALSE(std::filesystem::exists(group));
}

}  // namespace
}  // namespace sx
