// What an engine prints: the tail, the rotation, and a disk that takes nothing.
#include "run/engine_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "temporary_folder.h"

namespace sx {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(EngineLog, KeepsLinesInTheFileAndTheLatestInMemory) {
  const test::TemporaryFolder folder;
  EngineLog log(folder.path(), {});
  log.take("one\ntwo\n");
  log.take("thr");
  log.take("ee\n");
  EXPECT_EQ(read(log.path()), "one\ntwo\nthree\n");
  EXPECT_EQ(log.tail(1000), "one\ntwo\nthree\n");
  EXPECT_EQ(log.tail(8), "three\n");
  EXPECT_EQ(log.taken(), 14U);
}

TEST(EngineLog, TheTailOfMuchBeginsAtALine) {
  const test::TemporaryFolder folder;
  EngineLog log(folder.path(), {});
  std::string last;
  for (int i = 0; i < 50'000; ++i) {
    last = "line " + std::to_string(i) + "\n";
    log.take(last);
  }
  const std::string tail = log.tail(1 << 20U);
  EXPECT_LE(tail.size(), std::size_t{256} << 10U);
  EXPECT_TRUE(tail.starts_with("line "));
  EXPECT_TRUE(tail.ends_with(last));
  log.take(std::string(std::size_t{1} << 20U, 'x') + "\nend\n");
  EXPECT_TRUE(log.tail(1 << 20U).ends_with("\nend\n") || log.tail(1 << 20U) == "end\n");
}

TEST(EngineLog, FilesAreRotatedAndTheOldestGoes) {
  const test::TemporaryFolder folder;
  EngineLog log(folder.path(), {.file_bytes = 4096, .files = 3});
  for (int i = 0; i < 20; ++i) log.take(std::string(1023, static_cast<char>('a' + i)) + "\n");
  EXPECT_EQ(read(log.path()).size() % 1024, 0U);
  EXPECT_EQ(read(log.path() + ".1").size(), 4096U);
  EXPECT_EQ(read(log.path() + ".2").size(), 4096U);
  EXPECT_FALSE(std::filesystem::exists(log.path() + ".3"));
  EXPECT_EQ(log.lost(), 0U);
  EXPECT_EQ(read(log.path()).front(), 'q');
}

// What an earlier start failed of must not be told of this one.
TEST(EngineLog, EachStartHasAFileOfItsOwn) {
  const test::TemporaryFolder folder;
  for (const char* words : {"first\n", "second\n", "third\n"}) {
    EngineLog log(folder.path(), {.file_bytes = 4096, .files = 2});
    log.take(words);
    EXPECT_EQ(read(log.path()), words);
  }
  EngineLog silent(folder.path(), {.file_bytes = 4096, .files = 2});
  EXPECT_EQ(read(silent.path()), "");
  EXPECT_EQ(read(silent.path() + ".1"), "third\n");
  EXPECT_FALSE(std::filesystem::exists(silent.path() + ".2"));
}

// A limit of this process stands for a full disk: writing past it fails just so.
TEST(EngineLog, AFullDiskLosesLinesSaysSoAndGoesOn) {
  const test::TemporaryFolder folder;
  EngineLog log(folder.path(), {});
  log.take("before\n");
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  rlimit small = limit;
  small.rlim_cur = 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  log.take("lost line\n");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  log.take("after\n");
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(log.lost(), 10U);
  EXPECT_EQ(read(log.path()), "before\n\n[sextant] 10 bytes could not be written here\nafter\n");
  EXPECT_EQ(log.tail(100), "before\nlost line\nafter\n");
}

// Opened for writing, a pipe that nobody reads would hold the keeper for ever.
TEST(EngineLog, APipeOfItsNameIsLeftAlone) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/engine.log";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EngineLog log(folder.path(), {});
  log.take("words\n");
  EXPECT_EQ(log.lost(), 6U);
  EXPECT_EQ(log.tail(100), "words\n");
}

TEST(EngineLog, AFolderThatTakesNothingStillHasATail) {
  EngineLog log("/proc/no-such-folder", {});
  log.take("words\n");
  EXPECT_EQ(log.tail(100), "words\n");
  EXPECT_EQ(log.lost(), 6U);
}

}  // namespace
}  // namespace sx
