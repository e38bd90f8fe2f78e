// SHA-256 of a folder's files: what is read, against what, and by how many threads at once.
#include "gather/verify.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sys/file_hash.h"

namespace sx {
namespace {

class VerifyFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("sx_verify_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_ / "sub");
    outside_.files = &real_files();
    model_.from = ModelFrom::Directory;
    model_.folder = folder_.string();
    for (std::size_t i = 0; i < 9; ++i)
      add("f" + std::to_string(i), std::string(1000 * (i + 1), 'x'));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void add(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    model_.files.push_back({.path = name, .bytes = Bytes{static_cast<std::int64_t>(bytes.size())}});
  }
  std::filesystem::path folder_;
  Outside outside_;
  ModelSpec model_;
};

TEST_F(VerifyFolder, ManyThreadsReadEachFileOnce) {
  std::atomic<std::int64_t> read = 0;
  const VerifyPlan plan = plan_verification(model_, nullptr, outside_);
  EXPECT_EQ(plan.bytes, Bytes{45'000});
  const Verification done =
      verify(model_.folder, plan, {.bytes_read = &read, .stop = nullptr, .tick = {}, .threads = 4});
  EXPECT_EQ(read.load(), 45'000);
  ASSERT_EQ(done.files.size(), 9U);
  for (const VerifiedFile& file : done.files) {
    EXPECT_EQ(file.state, SumState::NoSum);
    EXPECT_EQ(file.found.size(), 64U);
  }
}

TEST_F(VerifyFolder, AListMayNameFilesFromOneFolderUp) {
  SumsFile sums;
  sums.sums = {
      {.name = "./f0", .sha256 = sha256_of(std::string(1000, 'x')), .line = 1},
      {.name = "model/f1", .sha256 = std::string(64, '0'), .line = 2},
      {.name = "../../etc/nothing-of-that-name", .sha256 = std::string(64, '0'), .line = 3}};
  const Verification done =
      verify(model_.folder, plan_verification(model_, &sums, outside_), VerifyWatch{});
  EXPECT_EQ(done.files[0].state, SumState::Same);
  EXPECT_EQ(done.files[1].state, SumState::Different);
  EXPECT_EQ(done.files[2].state, SumState::NoSum);
  EXPECT_EQ(done.listed_not_there, std::vector<std::string>{"../../etc/nothing-of-that-name"});
}

TEST_F(VerifyFolder, TheCachesBlobsKnowTheirSums) {
  const std::string bytes = "weights";
  std::ofstream(folder_ / "sub" / sha256_of(bytes)) << bytes;
  std::filesystem::create_symlink(folder_ / "sub" / sha256_of(bytes), folder_ / "linked");
  model_.files = {{.path = "linked", .bytes = Bytes{7}}};
  const Verification done =
      verify(model_.folder, plan_verification(model_, nullptr, outside_), VerifyWatch{});
  EXPECT_EQ(done.files[0].state, SumState::Same);
}

TEST_F(VerifyFolder, WhatIsNotThereIsUnreadByName) {
  model_.files = {{.path = "gone", .bytes = Bytes{7}}};
  const Verification done =
      verify(model_.folder, plan_verification(model_, nullptr, outside_), VerifyWatch{});
  EXPECT_EQ(done.files[0].state, SumState::Unread);
  EXPECT_NE(done.files[0].detail.english.find("gone"), std::string::npos);
}

TEST_F(VerifyFolder, AStopEndsIt) {
  const std::atomic<bool> stop = true;
  const Verification done = verify(model_.folder, plan_verification(model_, nullptr, outside_),
                                   {.bytes_read = nullptr, .stop = &stop, .tick = {}});
  EXPECT_TRUE(done.interrupted);
}

}  // namespace
}  // namespace sx
