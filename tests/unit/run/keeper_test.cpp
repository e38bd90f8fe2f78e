// A keeper with a real, small program in its care: what it keeps, and that nothing escapes it.
#include "run/keeper.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "run/aftermath.h"
#include "run/keeper_talk.h"
#include "run/new_mark.h"
#include "sys/files.h"
#include "sys/save_file.h"
#include "temporary_folder.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

class Kept : public testing::Test {
 protected:
  // Runs the keeper in a process of its own, as the daemon does.
  void keep(const std::string& script, std::vector<std::string> words = {}) {
    KeeperSpec spec{.of = {.replica = 0, .start = 1}, .mark = mark_, .launch = {}, .log = {}};
    spec.launch.engine = "vllm";
    spec.launch.words = words.empty() ? std::vector<std::string>{"/bin/sh", "-c", script} : words;
    spec.launch.environment = {{"PATH", "/usr/bin:/bin"}};
    spec.launch.port = 1;
    ASSERT_TRUE(save_file(files_.spec(), spec_json(spec)));
    keeper_ = ::fork();
    if (keeper_ == 0) ::_exit(run_keeper(files_.folder));
  }

  ExitRecord ended() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < until) {
      if (::waitpid(keeper_, nullptr, WNOHANG) == keeper_) break;
      std::this_thread::sleep_for(milliseconds(10));
    }
    keeper_ = 0;
    const auto text = real_files().read(files_.ending(), mib(1));
    if (!text) return {};
    return read_exit(*text).value_or(ExitRecord{});
  }

  bool heard(const std::string& words) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < until) {
      const auto text = real_files().read(files_.log(), mib(1));
      if (text && text->find(words) != std::string::npos) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }

  void TearDown() override {
    if (keeper_ > 0) {
      ::kill(keeper_, SIGKILL);
      ::waitpid(keeper_, nullptr, 0);
    }
    for (const auto& process : processes_marked(kMarkVariable, mark_))
      send_signal(process, SIGKILL);
  }

  test::TemporaryFolder folder_;
  ReplicaFiles files_{folder_.path()};
  std::string mark_ = new_mark();
  pid_t keeper_ = 0;
};

TEST_F(Kept, WhatItPrintsAndHowItEnds) {
  keep("echo out; echo err >&2; exit 3");
  const ExitRecord record = ended();
  EXPECT_EQ(record.code, 3);
  EXPECT_FALSE(record.asked);
  EXPECT_EQ(real_files().read(files_.log(), mib(1)).value(), "out\nerr\n");
}

TEST_F(Kept, ASignalIsToldAsOne) {
  keep("kill -SEGV $$");
  EXPECT_EQ(ended().signal, SIGSEGV);
}

TEST_F(Kept, AProgramThatIsNotThereIsAnErrorInTwoLanguages) {
  keep("", {"/no/such/program"});
  const ExitRecord record = ended();
  EXPECT_TRUE(record.absent);
  EXPECT_NE(record.error.find("/no/such/program"), std::string::npos);
  EXPECT_FALSE(record.error_chinese.empty());
}

TEST_F(Kept, WhatTheEngineLeavesBehindEndsWithIt) {
  // One child leaves the session, another the parent: both are found by their mark.
  keep("setsid sleep 600 & (sleep 600 &) ; sleep 0.2; echo gone");
  const ExitRecord record = ended();
  EXPECT_EQ(record.code, 0);
  EXPECT_GE(record.swept, 1);
  EXPECT_TRUE(processes_marked(kMarkVariable, mark_).empty());
}

TEST_F(Kept, WhatLostItsMarkEndsWithTheEngineToo) {
  // Engines write titles over the environment of their processes.
  const std::string number = folder_.path() + "/number";
  keep("env -i setsid sh -c 'echo $$ >" + number + "; exec sleep 600' & sleep 0.3; kill -9 $$");
  const ExitRecord record = ended();
  EXPECT_EQ(record.signal, SIGKILL);
  EXPECT_GE(record.swept, 1);
  const auto text = real_files().read(number, mib(1));
  ASSERT_TRUE(text);
  EXPECT_FALSE(identity_of(std::stoi(*text)));
}

TEST_F(Kept, TitlesMayNotHideTheMark) {
  keep("echo $SPT_NOENV");
  ended();
  EXPECT_TRUE(heard("1\n"));
}

TEST_F(Kept, OneThatIgnoresTheRequestIsKilledWhenItsTimeIsUp) {
  keep("trap 'echo no' TERM; echo ready; while :; do sleep 0.05; done");
  ASSERT_TRUE(heard("ready"));
  ASSERT_TRUE(ask_keeper(files_.socket(),
                         {.does = KeeperRequest::Does::Stop, .grace = std::chrono::seconds(1)}));
  const ExitRecord record = ended();
  EXPECT_EQ(record.signal, SIGKILL);
  EXPECT_TRUE(record.asked);
  EXPECT_TRUE(record.killed);
}

TEST_F(Kept, OneThatEndsWhenAskedIsNotKilled) {
  keep("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
  ASSERT_TRUE(heard("ready"));
  const auto answer = ask_keeper(files_.socket(), {.does = KeeperRequest::Does::Status});
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->find(mark_), std::string::npos);
  ASSERT_TRUE(ask_keeper(files_.socket(),
                         {.does = KeeperRequest::Does::Stop, .grace = std::chrono::seconds(10)}));
  const ExitRecord record = ended();
  EXPECT_EQ(record.code, 0);
  EXPECT_FALSE(record.killed);
  EXPECT_TRUE(heard("bye"));
}

TEST_F(Kept, AKeeperThatIsKilledTakesItsEngineAlong) {
  keep("echo ready; exec sleep 600");
  ASSERT_TRUE(heard("ready"));
  ::kill(keeper_, SIGKILL);
  ::waitpid(keeper_, nullptr, 0);
  keeper_ = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!processes_marked(kMarkVariable, mark_).empty() &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_TRUE(processes_marked(kMarkVariable, mark_).empty());
  EXPECT_FALSE(real_files().info(files_.ending()));
}

TEST_F(Kept, AKeeperThatStandsStillIsWaitedForWhileThereIsGraceAndThenEndedWithItsEngine) {
  keep("echo ready; exec sleep 600");
  ASSERT_TRUE(heard("ready"));
  ::kill(keeper_, SIGSTOP);
  StopAsk ask{.socket = files_.socket(), .mark = mark_, .keeper = identity_of(keeper_)};
  ask.grace = std::chrono::seconds(5);
  stop_engine(ask);
  EXPECT_EQ(processes_marked(kMarkVariable, mark_).size(), 1U);
  EXPECT_EQ(::waitpid(keeper_, nullptr, WNOHANG), 0);
  ask.grace = std::chrono::seconds(0);
  stop_engine(ask);
  EXPECT_EQ(::waitpid(keeper_, nullptr, 0), keeper_);
  keeper_ = 0;
  EXPECT_TRUE(see_released({.mark = mark_, .host = ""}).clean);
}

TEST_F(Kept, WordsThatAreNoneOfItsLanguageCloseTheConnectionAlone) {
  keep("echo ready; exec sleep 600");
  ASSERT_TRUE(heard("ready"));
  for (const char* line :
       {"{}", "nonsense", "{\"do\":\"stop\"}", "{\"do\":\"stop\",\"grace_s\":-1}"})
    EXPECT_FALSE(read_request(line)) << line;
  EXPECT_TRUE(ask_keeper(files_.socket(), {.does = KeeperRequest::Does::Tail, .bytes = 100}));
}

}  // namespace
}  // namespace sx
