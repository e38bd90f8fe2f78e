// The daemon's own log stays small under the same descriptors, and its last words are in both
// languages.
#include "api/own_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "sys/files.h"

namespace sx {
namespace {

class OwnLog : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sextant-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_.path = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_.path); }

  // In a process of its own whose output goes to `path`: so many bytes, a look, one more line.
  void write(const std::string& path, std::size_t bytes) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      ::dup2(file, STDOUT_FILENO);
      ::dup2(file, STDERR_FILENO);
      const std::string much(bytes, 'x');
      bool good =
          ::write(STDERR_FILENO, much.data(), much.size()) == static_cast<ssize_t>(much.size());
      keep_own_log_small(folder_);
      good = ::write(STDOUT_FILENO, "out\n", 4) == 4 && ::write(STDERR_FILENO, "err\n", 4) == 4 &&
             good;
      ::_exit(good ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::string read(const std::string& path) const {
    return real_files().read(path, mib(16)).value_or("?");
  }

  StateFolder folder_;
};

TEST_F(OwnLog, ALongOneIsBegunAnewAndOneOlderStays) {
  write(folder_.log(), std::size_t{2} << 20U);
  EXPECT_EQ(read(folder_.log()), "out\nerr\n");
  EXPECT_EQ(read(folder_.log() + ".1").size(), std::size_t{2} << 20U);
  write(folder_.log(), std::size_t{3} << 20U);
  EXPECT_EQ(read(folder_.log()), "out\nerr\n");
  EXPECT_EQ(read(folder_.log() + ".1").size(), (std::size_t{3} << 20U) + 8);
}

TEST_F(OwnLog, AShortOneAndOutputThatGoesElsewhereAreLeftAlone) {
  write(folder_.log(), 100);
  EXPECT_EQ(read(folder_.log()).size(), 108U);
  write(folder_.path + "/other", std::size_t{2} << 20U);
  EXPECT_EQ(read(folder_.path + "/other").size(), (std::size_t{2} << 20U) + 8);
  EXPECT_EQ(read(folder_.log()).size(), 108U);
}

TEST_F(OwnLog, LastWordsAreReadInBothLanguagesAndForgotten) {
  EXPECT_TRUE(last_words(folder_).empty());
  leave_last_words(folder_, {"no", "不"});
  EXPECT_EQ(last_words(folder_).english, "no");
  EXPECT_EQ(last_words(folder_).chinese, "不");
  forget_last_words(folder_);
  EXPECT_TRUE(last_words(folder_).empty());
}

}  // namespace
}  // namespace sx
