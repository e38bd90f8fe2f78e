// Lists of SHA-256 sums: both forms, and what is none.
#include "read/sums.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

const std::string kDigits(64, 'a');

TEST(Sums, TakesWhatSha256sumWrites) {
  const auto file = parse_sums(kDigits + "  model.safetensors\n" + kDigits + " *b.bin\r\n");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->sums.size(), 2U);
  EXPECT_EQ(file->sums[0].name, "model.safetensors");
  EXPECT_EQ(file->sums[1].name, "b.bin");
  EXPECT_EQ(file->sums[1].line, 2);
}

TEST(Sums, TakesTheBsdFormAndCapitals) {
  const auto file =
      parse_sums("SHA256 (a (1).safetensors) = " + std::string(64, 'B') + "\n# a remark\n\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->sums[0].name, "a (1).safetensors");
  EXPECT_EQ(file->sums[0].sha256, std::string(64, 'b'));
  EXPECT_EQ(file->other_lines, 0U);
}

TEST(Sums, ResolvesEscapedNames) {
  const auto file = parse_sums("\\" + kDigits + "  two\\nlines\\\\x\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->sums[0].name, "two\nlines\\x");
}

TEST(Sums, CountsWhatItPassesOver) {
  const auto file = parse_sums(kDigits + "  a\nnonsense\n" + std::string(32, '0') + "  md5\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->other_lines, 1U);
  EXPECT_EQ(file->first_other, 2);
  EXPECT_EQ(file->other_digests, 1U);
}

TEST(Sums, SaysWhatAListIsInstead) {
  EXPECT_EQ(parse_sums("").error().kind, Error::Kind::Damaged);
  EXPECT_EQ(parse_sums(std::string(40, '1') + "  sha1\n").error().kind, Error::Kind::Unsupported);
  EXPECT_EQ(parse_sums(kDigits + "\n").error().kind, Error::Kind::Damaged);  // no name
}

TEST(Sums, IsBounded) {
  std::string text;
  for (int i = 0; i < 100'001; ++i) text += kDigits + "  f\n";
  EXPECT_EQ(parse_sums(text).error().kind, Error::Kind::TooLarge);
}

}  // namespace
}  // namespace sx
