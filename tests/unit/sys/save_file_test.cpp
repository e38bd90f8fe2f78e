// Files that are added to: what is no plain file of that name is named, never waited for.
#include "sys/save_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace sx {
namespace {

class OpenForAdding : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(folder_.data()), nullptr); }
  void TearDown() override {
    for (const char* name : {"/log", "/other"}) ::unlink((folder_ + name).c_str());
    ::rmdir((folder_ + "/log").c_str());
    ::rmdir(folder_.c_str());
  }
  std::string log() const { return folder_ + "/log"; }
  std::string refusal() const {
    const auto opened = open_for_adding(log());
    return opened ? "" : opened.error().what;
  }

  std::string folder_ = "/tmp/sx-adding-XXXXXX";
};

TEST_F(OpenForAdding, MakesItAndAddsToItsEnd) {
  for (const char* word : {"one", "two"}) {
    const auto file = open_for_adding(log());
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(::write(file->get(), word, 3), 3);
  }
  struct stat there{};
  ASSERT_EQ(::stat(log().c_str(), &there), 0);
  EXPECT_EQ(there.st_size, 6);
  EXPECT_EQ(there.st_mode & 0777U, 0600U);
}

TEST_F(OpenForAdding, NothingElseOfThatNameIsTaken) {
  const std::string words =
      "cannot write " + log() + ": something that is not a file has this name";
  ASSERT_EQ(::mkfifo(log().c_str(), 0600), 0);
  EXPECT_EQ(refusal(), words);  // nobody reads it
  {
    const UniqueFd reader(::open(log().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    EXPECT_EQ(refusal(), words);
  }
  ::unlink(log().c_str());
  ASSERT_EQ(::mkdir(log().c_str(), 0700), 0);
  EXPECT_EQ(refusal(), words);
  ::rmdir(log().c_str());
  ASSERT_EQ(::symlink((folder_ + "/other").c_str(), log().c_str()), 0);
  EXPECT_EQ(refusal(), words);
}

TEST_F(OpenForAdding, AFolderThatIsNotThereIsNamed) {
  const auto opened = open_for_adding(folder_ + "/no/log");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().what, "cannot write " + folder_ + "/no/log: No such file or directory");
}

// In a container the number of a process is often the same as that of the one before.
TEST(SaveFile, WhatOneThatWasKilledLeftBehindIsNoHindrance) {
  std::string folder = "/tmp/sx-saving-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/record";
  const std::string left = path + ".part" + std::to_string(::getpid());
  {
    const UniqueFd half(::open(left.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
  EXPECT_TRUE(save_file(path, "whole"));
  struct stat there{};
  ASSERT_EQ(::stat(path.c_str(), &there), 0);
  EXPECT_EQ(there.st_size, 5);
  EXPECT_NE(::stat(left.c_str(), &there), 0);
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
}

// Whoever reads it by its group goes on reading it.
TEST(SaveFile, OneThatIsReplacedInItsOwnLookKeepsOwnerGroupAndPermissions) {
  std::string folder = "/tmp/sx-saving-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/keys";
  const auto look = [&] {
    struct stat there{};
    EXPECT_EQ(::stat(path.c_str(), &there), 0);
    return there;
  };
  const mode_t mask = ::umask(0077);  // what is new obeys it, what was there does not
  EXPECT_TRUE(save_file_as_it_was(path, "one", 0600));
  EXPECT_EQ(look().st_mode & 07777U, 0600U);
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  const bool root = ::geteuid() == 0;
  if (root) ASSERT_EQ(::chown(path.c_str(), 4321, 1234), 0);
  const auto before = look();
  EXPECT_TRUE(save_file_as_it_was(path, "three", 0600));
  const auto after = look();
  EXPECT_EQ(after.st_size, 5);
  EXPECT_NE(after.st_ino, before.st_ino);
  EXPECT_EQ(after.st_mode & 07777U, 0640U);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
  ::umask(mask);
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
}

}  // namespace
}  // namespace sx
