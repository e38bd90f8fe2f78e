// SHA-256 of real files: right, and never waiting for what is none.
#include "sys/file_hash.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace sx {
namespace {

class FileHash : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("sx_hash_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(at(name), std::ios::binary) << bytes;
  }
  std::filesystem::path folder_;
};

TEST_F(FileHash, KnowsTheStandardsExamples) {
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  write("empty", "");
  EXPECT_EQ(sha256_of_file(at("empty")).value(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(FileHash, PiecesMakeNoDifference) {
  std::string bytes;
  for (int i = 0; i < 700'001; ++i) bytes += static_cast<char>(i * 31);
  write("long", bytes);
  std::atomic<std::int64_t> read = 0;
  EXPECT_EQ(sha256_of_file(at("long"), {.bytes_read = &read}).value(), sha256_of(bytes));
  EXPECT_EQ(read.load(), 700'001);
}

TEST_F(FileHash, NeverWaits) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(sha256_of_file(at("pipe")).error().kind, Error::Kind::Refused);
  EXPECT_FALSE(sha256_of_file("/dev/zero"));
  EXPECT_FALSE(sha256_of_file(folder_.string()));
  EXPECT_EQ(sha256_of_file(at("none")).error().kind, Error::Kind::Absent);
  std::filesystem::create_symlink("loop", folder_ / "loop");
  EXPECT_FALSE(sha256_of_file(at("loop")));
}

TEST_F(FileHash, StopsWhenTold) {
  write("some", std::string(100, 'x'));
  const std::atomic<bool> stop = true;
  EXPECT_EQ(sha256_of_file(at("some"), {.stop = &stop}).error().kind, Error::Kind::Interrupted);
}

}  // namespace
}  // namespace sx
