// What is done about an engine that ended: the cause by `diagnose`, here a program that answers for
// it, and the reports that are kept.
#include "run/aftermath.h"

#include <gtest/gtest.h>

#include <csignal>

#include "sys/files.h"
#include "sys/save_file.h"
#include "temporary_folder.h"

namespace sx {
namespace {

class Ended : public testing::Test {
 protected:
  CauseAsk ask(const std::string& answer, int start) {
    const std::string program = folder_.path() + "/diagnose";
    EXPECT_TRUE(save_file(program, "#!/bin/sh\ncat <<'END'\n" + answer + "\nEND\n", 0700));
    EXPECT_TRUE(make_folders(reports_));
    return {.of = {.replica = 2, .start = start},
            .program = program,
            .files = ReplicaFiles(folder_.path()),
            .words = {},
            .report = reports_ + "/2-" + std::to_string(start) + ".json",
            .code = {},
            .signal = {}};
  }

  test::TemporaryFolder folder_;
  std::string reports_ = folder_.path() + "/reports";
};

TEST_F(Ended, TheFirstCauseIsTaken) {
  const CauseFound found = find_cause(ask(
      R"({"causes":[{"name":"port-in-use","code":"SX8101","title":"t","confidence":"certain"}]})",
      1));
  EXPECT_EQ(found.name, "port-in-use");
  EXPECT_EQ(found.title, "t");
  EXPECT_EQ(found.report, reports_ + "/2-1.json");
}

TEST_F(Ended, WhereTheLogIsSilentItsEndIsTheCause) {
  CauseAsk silent = ask(R"({"causes":[]})", 1);
  silent.signal = SIGKILL;
  EXPECT_EQ(find_cause(silent).name, "process-died");
  EXPECT_NE(find_cause(silent).title.find("signal 9"), std::string::npos);
}

TEST_F(Ended, WhatTheKernelCountedIsTheCauseWhereItsEndSaysNoMore) {
  CauseAsk counted = ask(R"({"causes":[]})", 1);
  counted.signal = SIGKILL;
  counted.oom_kills.count = 1;
  const CauseFound found = find_cause(counted);
  EXPECT_EQ(found.name, "host-oom-killed");
  EXPECT_EQ(found.code, "SX7115");
  EXPECT_TRUE(found.of_layout);
  EXPECT_NE(found.title_chinese.find("内存耗尽"), std::string::npos);
  counted.signal = SIGTERM;  // the count was of another one
  EXPECT_EQ(find_cause(counted).name, "process-died");
  counted.signal.reset();
  counted.code = 137;  // a shell, docker and podman say it so
  EXPECT_EQ(find_cause(counted).name, "host-oom-killed");
  counted.code = 1;
  EXPECT_EQ(find_cause(counted).name, "process-died");
  counted.code.reset();
  counted.signal = SIGKILL;
  counted.oom_kills.count = 0;
  EXPECT_EQ(find_cause(counted).name, "process-died");
  counted.oom_kills = {.count = 2, .of_others = true};
  EXPECT_NE(find_cause(counted).title.find("2 processes of this machine"), std::string::npos);
  counted.still_runs = 1;
  EXPECT_EQ(find_cause(counted).name, "");
}

// Only a count of its own processes is told to `diagnose`, and only once it has ended.
TEST_F(Ended, TheKernelsCountIsToldToDiagnose) {
  CauseAsk counted = ask(R"({"causes":[]})", 1);
  const std::string seen = folder_.path() + "/seen";
  ASSERT_TRUE(
      save_file(counted.program, "#!/bin/sh\necho \"$*\" >" + seen + "\necho '{}'\n", 0700));
  const auto told = [&] {
    find_cause(counted);
    return real_files().read(seen, mib(1)).value_or("").find("--oom-kills ");
  };
  EXPECT_EQ(told(), std::string::npos);
  counted.oom_kills.count = 0;
  EXPECT_NE(told(), std::string::npos);
  counted.oom_kills = {.count = 2, .of_others = true};
  EXPECT_EQ(told(), std::string::npos);
  counted.oom_kills = {.count = 2};
  EXPECT_NE(told(), std::string::npos);
  counted.still_runs = 1;
  EXPECT_EQ(told(), std::string::npos);
}

TEST_F(Ended, AnAnswerThatIsNoneIsNoReport) {
  for (const char* answer : {"", "{", "[]", "{\"causes\":7}", "{\"causes\":[7]}"})
    EXPECT_NE(find_cause(ask(answer, 1)).name, "port-in-use") << answer;
}

TEST_F(Ended, OldReportsOfTheReplicaGo) {
  find_cause(ask("{}", 1));
  find_cause(ask("{}", 2));
  ASSERT_TRUE(save_file(reports_ + "/21-1.json", "{}"));
  find_cause(ask("{}", 21));
  EXPECT_FALSE(real_files().info(reports_ + "/2-1.json"));
  EXPECT_TRUE(real_files().info(reports_ + "/2-2.json"));
  EXPECT_TRUE(real_files().info(reports_ + "/2-21.json"));
  EXPECT_TRUE(real_files().info(reports_ + "/21-1.json"));
}

}  // namespace
}  // namespace sx
