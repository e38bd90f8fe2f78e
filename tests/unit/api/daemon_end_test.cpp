// What a daemon says of its end.
#include "api/daemon_end.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace sx {
namespace {

constexpr std::int64_t kMoment = 1'796'061'851'250;  // 2026-11-30 18:04:11 UTC, and a quarter

TEST(DaemonEnd, WhoAskedWhenAndWhatWasSoBefore) {
  const Both asked = asked_by_signal(SIGTERM);
  EXPECT_EQ(words_of_end(kMoment, asked, {}).english,
            "ended at 2026-11-30 18:04:11 UTC: asked to by signal 15");
  const Both after = words_of_end(kMoment, asked, {"weights are too big", "权重过大"});
  EXPECT_EQ(after.english,
            "ended at 2026-11-30 18:04:11 UTC: asked to by signal 15, after it had given up "
            "(weights are too big)");
  EXPECT_EQ(after.chinese,
            "于 2026-11-30 18:04:11（UTC）结束：收到信号 15，此前已放弃（权重过大）");
}

TEST(DaemonEnd, AProcessIsNamedAsFarAsItCanBe) {
  const std::string pid = std::to_string(::getpid());
  EXPECT_EQ(asked_by_process(::getpid()).english, "asked to by process " + pid + " (unit_api)");
  EXPECT_EQ(asked_by_process(2'000'000'000).english, "asked to by process 2000000000");
  EXPECT_EQ(asked_by_process(0).english, "asked to through its API");
  EXPECT_NE(asked_by_process(0).chinese, asked_by_process(0).english);
}

// What it says ends in JSON.
TEST(DaemonEnd, AProcessMayHaveAnyName) {
  const pid_t child = ::fork();
  if (child == 0) {
    const char* const words[] = {"/x/a\xff\x7f\xe6\xa8", "60", nullptr};
    ::execv("/bin/sleep", const_cast<char* const*>(words));
    ::_exit(1);
  }
  Both asked;
  for (int i = 0; i < 500 && !asked.english.contains("(a"); ++i) {  // until it runs
    asked = asked_by_process(child);
    ::usleep(10'000);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(asked.english,
            "asked to by process " + std::to_string(child) + " (a" + std::string(4, '?') + ')');
}

}  // namespace
}  // namespace sx
