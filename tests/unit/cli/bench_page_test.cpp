// What the page of `bench serve` says of requests that were not answered, in both languages.
#include "cli/bench_page.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

std::string page(Language language) {
  BenchFigures figures{
      .address = "http://127.0.0.1:8000", .model = "toy", .users = 2, .failures = {}};
  figures.failed = 4;
  figures.failures = {{"status 503", 2}, {"the stream was cut", 1}, {"Connection refused", 1}};
  const std::optional<BenchFigures> none;
  return bench_page({.now = figures, .before = none, .language = language, .width = 100});
}

TEST(BenchPage, SaysHowRequestsEndedInEnglish) {
  const std::string text = page(Language::English);
  for (const char* words :
       {"2 x answered with status 503", "1 x the stream was cut", "1 x Connection refused"})
    EXPECT_NE(text.find(words), std::string::npos) << words << '\n' << text;
}

TEST(BenchPage, AndInChineseWhereTheWordsAreOurs) {
  const std::string text = page(Language::Chinese);
  for (const char* words :
       {"2 次：以状态码 503 应答", "1 次：流中途断开", "1 次：Connection refused"})
    EXPECT_NE(text.find(words), std::string::npos) << words << '\n' << text;
  EXPECT_EQ(text.find("the stream"), std::string::npos);
}

}  // namespace
}  // namespace sx
