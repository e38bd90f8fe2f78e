// What stands behind a number that is one.
#include "diag/singular.h"

#include <gtest/gtest.h>

#include "diag/message.h"

namespace sx {
namespace {

std::string after_one(std::string_view rest) {
  std::string out = "1";
  put_singular(out, rest);
  return out += rest;
}

TEST(Singular, TheCountedWordLosesItsPlural) {
  const std::pair<std::string_view, std::string_view> table[] = {
      {" GPUs", "1 GPU"},
      {" GPUs, and sees 4", "1 GPU, and sees 4"},
      {" KV heads cannot be split", "1 KV head cannot be split"},
      {" tensor-parallel ranks", "1 tensor-parallel rank"},
      {" copies", "1 copy"},
      {" processes", "1 process"},
      {" GPUs are left idle", "1 GPU is left idle"},
      {" tokens have room", "1 token has room"},
  };
  for (const auto& [rest, whole] : table) EXPECT_EQ(after_one(rest), whole);
}

TEST(Singular, OtherWordsStayAsTheyAre) {
  for (const std::string_view rest :
       {"", " ", " GiB", " of 8 GPUs", " and the tokens", ", GPUs", "  GPUs", " has a MIG",
        " GPUsx", " KV KV KV KV heads", " is read as", "-GPUs"})
    EXPECT_EQ(after_one(rest), "1" + std::string(rest));
}

TEST(Singular, OnlyNumbersCountAndOnlyInEnglish) {
  constexpr Text kSaid{"for {count} GPUs", "用 {count} 张 GPU"};
  EXPECT_EQ(rendered(Message{kSaid, {{"count", 1}}}, Language::English), "for 1 GPU");
  EXPECT_EQ(rendered(Message{kSaid, {{"count", Tokens{1}}}}, Language::English), "for 1 GPU");
  EXPECT_EQ(rendered(Message{kSaid, {{"count", 11}}}, Language::English), "for 11 GPUs");
  EXPECT_EQ(rendered(Message{kSaid, {{"count", "1"}}}, Language::English), "for 1 GPUs");
  EXPECT_EQ(rendered(Message{kSaid, {{"count", 1}}}, Language::Chinese), "用 1 张 GPU");
}

}  // namespace
}  // namespace sx
