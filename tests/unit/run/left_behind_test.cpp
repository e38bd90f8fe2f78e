// An engine that an earlier daemon left is found and ended, whatever became of its records.
#include "run/left_behind.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "run/keeper.h"
#include "run/new_mark.h"
#include "sys/control_group.h"
#include "sys/files.h"
#include "sys/process_identity.h"
#include "sys/save_file.h"
#include "sys/spawn.h"
#include "temporary_folder.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

bool in_time(const std::function<bool()>& is) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < until) {
    if (is()) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

class LeftBehind : public testing::Test {
 protected:
  void SetUp() override {
    KeeperSpec spec{.of = {.replica = 3, .start = 7}, .mark = mark_, .launch = {}, .log = {}};
    spec.launch.engine = "vllm";
    spec.launch.words = {"/bin/sh", "-c", "sleep 60; :"};
    spec.launch.environment = {{"PATH", "/usr/bin:/bin"}};
    spec.launch.port = 1;
    ASSERT_TRUE(save_file(files_.spec(), spec_json(spec)));
    keeper_ = ::fork();
    if (keeper_ == 0) ::_exit(run_keeper(files_.folder));
    ASSERT_TRUE(in_time([&] { return real_files().info(files_.keeper()).has_value(); }));
  }
  void TearDown() override {
    for (const auto& process : processes_marked(kMarkVariable, mark_))
      send_signal(process, SIGKILL);
    ::kill(keeper_, SIGKILL);
    ::waitpid(keeper_, nullptr, 0);
  }
  bool nothing_runs() const { return processes_marked(kMarkVariable, mark_).empty(); }

  test::TemporaryFolder folder_;
  ReplicaFiles files_{folder_.path()};
  std::string mark_ = new_mark();
  pid_t keeper_ = 0;
};

TEST_F(LeftBehind, TheKeeperTellsWhatItsRecordNoLongerDoes) {
  const auto text = real_files().read(files_.keeper(), mib(1));
  const auto record =
      text ? read_record(*text) : Result<KeeperRecord>(fail(Error::Kind::Absent, "", ""));
  ASSERT_TRUE(record);
  for (
      const char* damage :
      {"", "null", "{\"mark\":5}", "[[[[",
       R"({"mark":"","keeper":{"pid":1,"start_ticks":0},"engine":{"pid":1,"start_ticks":0},"replica":3,"start":7})"}) {
    ASSERT_TRUE(save_file(files_.keeper(), damage));
    const auto told = left_behind(files_);
    ASSERT_TRUE(told) << damage;
    EXPECT_EQ(told->of, (Attempt{.replica = 3, .start = 7}));
    EXPECT_EQ(told->engine, record->engine);
  }
}

TEST_F(LeftBehind, IsEndedByItsMarkWhereNobodyTellsOfIt) {
  ::kill(keeper_, SIGSTOP);  // it would write its record anew
  ASSERT_TRUE(save_file(files_.keeper(), "x"));
  ::unlink(files_.socket().c_str());
  EXPECT_FALSE(left_behind(files_));
  EXPECT_FALSE(nothing_runs());
  end_left_behind(files_);
  EXPECT_TRUE(nothing_runs());
  EXPECT_FALSE(real_files().info(files_.spec()).has_value());
}

TEST_F(LeftBehind, AllOfADeploymentIsEndedAtOnce) {
  const test::TemporaryFolder deployment;
  ASSERT_TRUE(make_folders(deployment.path() + "/replicas"));
  EXPECT_FALSE(end_all_left_behind(deployment.path()));
  ASSERT_EQ(::rename(files_.folder.c_str(), (deployment.path() + "/replicas/3").c_str()), 0);
  EXPECT_TRUE(end_all_left_behind(deployment.path()));
  EXPECT_TRUE(nothing_runs());
}

TEST_F(LeftBehind, ALinkLeadsToNobodysEngine) {
  const test::TemporaryFolder deployment;
  ASSERT_TRUE(make_folders(deployment.path() + "/replicas"));
  ASSERT_EQ(::symlink(files_.folder.c_str(), (deployment.path() + "/replicas/3").c_str()), 0);
  EXPECT_FALSE(end_all_left_behind(deployment.path()));
  EXPECT_FALSE(nothing_runs());
  EXPECT_TRUE(real_files().info(files_.spec()));
}

// The keeper is killed; what the engine had let go has neither mark nor session nor parent.
class LeftByKeeper : public testing::Test {
 protected:
  void keep(const std::string& group) {
    KeeperSpec spec{.of = {.replica = 0, .start = 1}, .mark = mark_, .launch = {}, .log = {}};
    spec.launch.engine = "vllm";
    spec.launch.words = {
        "/bin/sh", "-c",
        "env -i setsid sh -c 'echo $$ >" + number_ + "; exec sleep 63' & exec sleep 64"};
    spec.launch.environment = {{"PATH", "/usr/bin:/bin"}};
    spec.launch.port = 1;
    spec.group = group;
    ASSERT_TRUE(save_file(files_.spec(), spec_json(spec)));
    keeper_ = ::fork();
    if (keeper_ == 0) ::_exit(run_keeper(files_.folder));
    ASSERT_TRUE(in_time([&] { return child() && record(); }));  // either may come first
  }
  std::optional<ProcessIdentity> child() const {
    const auto text = real_files().read(number_, mib(1));
    return text && !text->empty() ? identity_of(std::stoi(*text)) : std::nullopt;
  }
  std::optional<KeeperRecord> record() const {
    const auto text = real_files().read(files_.keeper(), mib(1));
    if (!text) return std::nullopt;
    auto read = read_record(*text);
    return read ? std::optional(std::move(*read)) : std::nullopt;
  }
  void kill_keeper() {
    ::kill(keeper_, SIGKILL);
    ::waitpid(keeper_, nullptr, 0);
    ASSERT_TRUE(in_time([&] { return processes_marked(kMarkVariable, mark_).empty(); }));
  }
  void TearDown() override {
    if (const auto left = child()) send_signal(*left, SIGKILL);
  }

  test::TemporaryFolder folder_;
  ReplicaFiles files_{folder_.path()};
  std::string number_ = folder_.path() + "/number", mark_ = new_mark();
  pid_t keeper_ = 0;
};

TEST_F(LeftByKeeper, IsKnownByTheListOfItsDescent) {
  keep("");
  const auto lost = child();
  ASSERT_TRUE(lost);
  ASSERT_TRUE(in_time([&] {
    const auto now = record();
    return now && std::ranges::find(now->family, *lost) != now->family.end();
  }));
  EXPECT_EQ(record()->group, "");
  kill_keeper();
  EXPECT_TRUE(child());
  const Attempt of{.replica = 0, .start = 1};
  const ReleaseAsk ask{.mark = mark_, .group = "", .family = {}, .host = ""};
  EXPECT_TRUE(with_family(ask, {.replica = 0, .start = 2}, files_).family.empty());
  EXPECT_TRUE(see_released(with_family(ask, of, files_)).clean);
  EXPECT_TRUE(in_time([&] { return !child(); }));
}

TEST_F(LeftByKeeper, IsHeldByItsControlGroup) {
  const auto home = group_home();
  if (!home) GTEST_SKIP() << home.error().what;
  const std::string group = group_of(*home, mark_);
  keep(group);
  EXPECT_EQ(record()->group, group);
  EXPECT_TRUE(record()->family.empty());
  kill_keeper();
  EXPECT_TRUE(child());
  EXPECT_TRUE(end_left_behind(files_));
  EXPECT_TRUE(in_time([&] { return !child(); }));
  EXPECT_FALSE(real_files().info(group));
}

TEST_F(LeftByKeeper, AGroupThatCannotBeMadeIsDoneWithout) {
  keep("/proc/sextant-none");
  EXPECT_EQ(record()->group, "");
  ASSERT_TRUE(in_time([&] { return !record()->family.empty(); }));
  ::kill(keeper_, SIGTERM);
  EXPECT_EQ(::waitpid(keeper_, nullptr, 0), keeper_);
  EXPECT_FALSE(child());
}

TEST(ProcessesCalled, AreKnownByTheirLastWords) {
  const test::TemporaryFolder folder;
  SpawnAsk ask{.words = {"/bin/sh", "-c", "sleep 60; :", "keeper", folder.path()}};
  ask.environment = {{"PATH", "/usr/bin:/bin"}};
  const auto spawned = spawn(ask);
  ASSERT_TRUE(spawned);
  const auto found = processes_called("keeper", folder.path());
  const auto none = processes_called("eeper", folder.path());
  ::kill(-spawned->pid, SIGKILL);
  ::waitpid(spawned->pid, nullptr, 0);
  // Its child is called the same until it has become another program.
  EXPECT_TRUE(std::ranges::count(found, spawned->pid, &ProcessIdentity::pid) == 1);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace sx
