// What `up` hands to its daemon: gone with `up`, however that ends, and nobody else's is touched.
#include "run/wanted_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include "sys/files.h"
#include "sys/save_file.h"
#include "temporary_folder.h"

namespace sx {
namespace {

class Wanted : public testing::Test {
 protected:
  test::TemporaryFolder above_;
  StateFolder folder_{above_.path()};

  std::string put(const std::string& name) {
    const std::string path = folder_.path + '/' + name;
    EXPECT_TRUE(save_file(path, "{}", 0600));
    return path;
  }
};

TEST_F(Wanted, IsThereForThisUserAsLongAsItIsUsed) {
  std::string path;
  {
    const auto file = WantedFile::save(folder_, "what is wanted");
    ASSERT_TRUE(file);
    path = file->path();
    EXPECT_EQ(*real_files().read(path, mib(1)), "what is wanted");
    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    clear_wanted_files(folder_);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Wanted, ThatOfAProcessThatWasKilledIsClearedAway) {
  std::array<int, 2> told{};
  ASSERT_EQ(::pipe(told.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto file = WantedFile::save(folder_, "secrets");
    [[maybe_unused]] const auto count = ::write(told[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(told[0], &byte, 1), 1);
  clear_wanted_files(folder_);
  EXPECT_EQ(real_files().list(folder_.path)->size(), 1U);  // it is used
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  // Half of one, by a process that is no more.
  put("wanted.17.json.part" + std::to_string(child));
  clear_wanted_files(folder_);
  EXPECT_TRUE(real_files().list(folder_.path)->empty());
  ::close(told[0]);
  ::close(told[1]);
}

TEST_F(Wanted, WhatHasAnotherNameOrIsBeingWrittenStays) {
  const std::string ours = std::to_string(::getpid());
  for (const std::string& name :
       {std::string("deployment.json"), std::string("wanted.toml"), std::string("unwanted.1.json"),
        "wanted.1.json.part" + ours, std::string("wanted.1.json.partly")})
    put(name);
  clear_wanted_files(folder_);
  EXPECT_EQ(real_files().list(folder_.path)->size(), 5U);
}

}  // namespace
}  // namespace sx
