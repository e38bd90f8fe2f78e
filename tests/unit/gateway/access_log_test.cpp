// The access log as a file: nothing torn, nothing without a bound, nobody held up.
#include "gateway/access_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace sx {
namespace {

class AccessLogs : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("sx_log_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / "access.log").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Until it holds so much; bounded.
  static std::string read_until(const std::string& path, std::size_t size) {
    for (int i = 0; i < 1000; ++i) {
      if (std::string text = read(path); text.size() >= size) return text;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return read(path);
  }
  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(AccessLogs, AreWrittenByATick) {
  const auto log = AccessLog::begin({.path = path_});
  ASSERT_TRUE(log);
  (*log)->lines() += "one\ntwo\n";
  (*log)->flush();
  EXPECT_EQ(read_until(path_, 8), "one\ntwo\n");
  EXPECT_TRUE((*log)->lines().empty());
  EXPECT_EQ((*log)->lost(), 0U);
}

TEST_F(AccessLogs, WhatIsLeftIsWrittenAtTheEnd) {
  {
    const auto log = AccessLog::begin({.path = path_});
    ASSERT_TRUE(log);
    (*log)->lines() += "last\n";
  }
  EXPECT_EQ(read(path_), "last\n");
  {
    const auto log = AccessLog::begin({.path = path_});
    (*log)->lines() += "more\n";
  }
  EXPECT_EQ(read(path_), "last\nmore\n");
}

TEST_F(AccessLogs, AreRotatedBySizeInWholeLines) {
  {
    const auto log = AccessLog::begin({.path = path_, .file_bytes = 100, .files = 3});
    ASSERT_TRUE(log);
    for (int i = 0; i < 20; ++i) {
      (*log)->lines() += std::string(59, static_cast<char>('a' + i)) + '\n';
      (*log)->flush();
      const std::string newest(1, static_cast<char>('a' + i));
      for (int wait = 0; wait < 1000 && read(path_).find(newest) == std::string::npos; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  EXPECT_EQ(read(path_), std::string(59, 's') + '\n' + std::string(59, 't') + '\n');
  EXPECT_EQ(read(path_ + ".1"), std::string(59, 'q') + '\n' + std::string(59, 'r') + '\n');
  EXPECT_EQ(read(path_ + ".2"), std::string(59, 'o') + '\n' + std::string(59, 'p') + '\n');
  EXPECT_FALSE(std::filesystem::exists(path_ + ".3"));
}

TEST_F(AccessLogs, AFileThatWasMovedAwayIsOpenedAgain) {
  const auto log = AccessLog::begin({.path = path_});
  ASSERT_TRUE(log);
  (*log)->lines() += "one\n";
  (*log)->flush();
  read_until(path_, 4);
  std::filesystem::rename(path_, path_ + ".old");
  (*log)->reopen();
  for (int i = 0; i < 1000 && !std::filesystem::exists(path_); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  (*log)->lines() += "two\n";
  (*log)->flush();
  EXPECT_EQ(read_until(path_, 4), "two\n");
  EXPECT_EQ(read(path_ + ".old"), "one\n");
}

// As a full disk does, a limit on the size of files ends writes in the middle of a line.
TEST_F(AccessLogs, NothingIsTornByAFullDisk) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto log = AccessLog::begin({.path = path_});
  ASSERT_TRUE(log);
  rlimit small = before;
  small.rlim_cur = 1000;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string line = std::string(299, 'x') + '\n';
  for (int i = 0; i < 5; ++i) (*log)->lines() += line;
  (*log)->flush();
  EXPECT_EQ(read_until(path_, 1000).size(), 1000U);
  std::string huge;
  while (huge.size() < std::size_t{5} << 20U) huge += line;
  const std::size_t dropped = huge.size() / line.size();
  (*log)->lines() += huge;
  (*log)->flush();
  EXPECT_EQ((*log)->lost(), dropped);
  ::setrlimit(RLIMIT_FSIZE, &before);
  const std::string told = "{\"lost_lines\":" + std::to_string(dropped) + "}\n";
  std::string whole;
  for (int i = 0; i < 5; ++i) whole += line;
  EXPECT_EQ(read_until(path_, whole.size() + told.size()), whole + told);
}

TEST_F(AccessLogs, AFullDiskTearsNothingWhereAFileIsLongEnough) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const std::string line = std::string(299, 'x') + '\n';
  {
    const auto log = AccessLog::begin({.path = path_, .file_bytes = 1000, .files = 4});
    ASSERT_TRUE(log);
    rlimit small = before;
    small.rlim_cur = 1000;
    ::setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 5; ++i) (*log)->lines() += line;
    (*log)->flush();
    EXPECT_EQ(read_until(path_, 1000).size(), 1000U);
    std::this_thread::sleep_for(std::chrono::milliseconds(700));  // it has tried again
    ::setrlimit(RLIMIT_FSIZE, &before);
  }
  std::string whole;
  for (int i = 0; i < 5; ++i) whole += line;
  EXPECT_EQ(read(path_), whole);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".1"));
}

TEST_F(AccessLogs, AFolderIsNoLog) {
  EXPECT_FALSE(AccessLog::begin({.path = folder_.string()}));
  EXPECT_FALSE(AccessLog::begin({.path = "/nowhere/at/all"}));
}

}  // namespace
}  // namespace sx
