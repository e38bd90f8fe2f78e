// The system's own words, in the language of whoever reads them.
#include "sys/system_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "sys/save_file.h"
#include "sys/spawn.h"

namespace sx {
namespace {

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

TEST(SystemWords, WhatPeopleMeetIsSaidInChinese) {
  for (const int error : {EACCES, ENOENT, ENOSPC, EROFS, EDQUOT, ENOTDIR, EISDIR, EADDRINUSE,
                          ECONNREFUSED, EMFILE, EPERM, ENOMEM}) {
    const Both words = system_words(error);
    EXPECT_TRUE(is_ascii(words.english)) << error;
    EXPECT_FALSE(is_ascii(words.chinese)) << error << words.chinese;
  }
  const Both rare = system_words(ENOTNAM);
  EXPECT_EQ(rare.english, rare.chinese);
}

TEST(SystemWords, AnErrorHasThemInBothItsSentences) {
  const auto saved = save_file("/proc/no-such/file", "x");
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().what.find("No such file or directory"), std::string::npos);
  EXPECT_NE(saved.error().chinese.find("：没有这个文件或目录"), std::string::npos)
      << saved.error().chinese;
}

}  // namespace
}  // namespace sx
