// A file that others write to: what is news in it and what is not.
#include "sys/growing_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sx {
namespace {

class Grows : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sextant-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ + "/log";
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  void write(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }
  std::string news(GrowingFile& file) {
    std::string all;
    EXPECT_TRUE(file.look([&](std::string_view bytes) { all += bytes; }));
    return all;
  }

  std::string folder_, path_;
};

TEST_F(Grows, WhatComesIsHandedOverOnce) {
  GrowingFile file(path_);
  EXPECT_FALSE(file.look([](std::string_view) {}));
  write("one\n");
  EXPECT_EQ(news(file), "one\n");
  EXPECT_EQ(news(file), "");
  write("two\n");
  EXPECT_EQ(news(file), "two\n");
}

// More than one look hands over.
TEST_F(Grows, WhatIsPassedOverIsNoNewsHoweverMuchItIs) {
  write(std::string(std::size_t{40} << 20U, 'x') + "\n");
  GrowingFile file(path_);
  file.pass_over();
  EXPECT_EQ(news(file), "");
  write("new\n");
  EXPECT_EQ(news(file), "new\n");
}

TEST_F(Grows, AFileInItsPlaceIsReadFromItsBegin) {
  write("old\n");
  GrowingFile file(path_);
  file.pass_over();
  std::filesystem::rename(path_, path_ + ".1");
  write("anew\n");
  EXPECT_EQ(*file.look([](std::string_view) {}), GrowingFile::News::Anew);
  EXPECT_EQ(news(file), "anew\n");
}

}  // namespace
}  // namespace sx
